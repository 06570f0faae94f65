-- Read what is known of one fire: its settlement, or the fire as it stands.
-- KEYS: session, fire, settlement
-- ARGV: none
-- Replies: {'settled', stored}  {'open', field, value, ...}  {'absent', kind, epoch, n}
-- Invariant: reads only.
local stored = redis.call('GET', KEYS[3])
if stored then
  return {'settled', stored}
end
local reply = {'open'}
for _, word in ipairs(redis.call('HGETALL', KEYS[2])) do
  reply[#reply + 1] = word
end
if #reply > 1 then
  return reply
end
local session = redis.call('HMGET', KEYS[1], 'kind', 'epoch', 'n')
return {'absent', session[1] or '', session[2] or 0, session[3] or 0}
