-- Read the whole life of one fire.
-- KEYS: session, fire, payload, settlement, journal
-- ARGV: none
-- Replies: {'life', {field, value, ...}, payload or '', stored or '', {entry, time in us, ...}}
--          {'absent', kind, epoch, n}
-- Invariant: reads only.
local fire = redis.call('HGETALL', KEYS[2])
local stored = redis.call('GET', KEYS[4])
if #fire == 0 and not stored then
  local session = redis.call('HMGET', KEYS[1], 'kind', 'epoch', 'n')
  return {'absent', session[1] or '', session[2] or 0, session[3] or 0}
end
local journal = redis.call('ZRANGE', KEYS[5], 0, -1, 'WITHSCORES')
return {'life', fire, redis.call('GET', KEYS[3]) or '', stored or '', journal}
