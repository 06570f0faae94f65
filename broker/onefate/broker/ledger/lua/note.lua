-- Keep a later fact beside a fire; nothing settles.
-- KEYS: session, fire, journal
-- ARGV: action, token, by, body
-- Replies: {'kept', at}  {'absent', kind, epoch, n}, whose epoch and n are 0 for another action's fire
-- Invariant: a repeat with the same token and body adds nothing; the journal lives as the fire does.
local fire = redis.call('HGET', KEYS[2], 'a')
if fire and fire ~= ARGV[1] then
  return {'absent', '', 0, 0}
end
if not fire then
  local session = redis.call('HMGET', KEYS[1], 'kind', 'epoch', 'n')
  return {'absent', session[1] or '', session[2] or 0, session[3] or 0}
end
local t = redis.call('TIME')
local entry = 'noted ' .. ARGV[2] .. ' ' .. ARGV[3] .. ' -\n' .. ARGV[4]
redis.call('ZADD', KEYS[3], 'NX', t[1] .. string.format('%06d', t[2]), entry)
local left = redis.call('PTTL', KEYS[2])
if left > 0 then
  redis.call('PEXPIRE', KEYS[3], left)
end
return {'kept', t[1] .. string.format('%03d', math.floor(t[2] / 1000))}
