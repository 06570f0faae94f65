-- Say that the worker holding a claim is alive, and keep its work entry from being redelivered.
-- KEYS: fire, work
-- ARGV: fence, consumer, work entry ('' = none)
-- Replies: {'beating', at}  {'stale'}  {'settled'}  {'absent'}
-- Invariant: only the current claim moves the time the worker was last seen.
local f = redis.call('HMGET', KEYS[1], 's', 'c')
if not f[1] then
  return {'absent'}
end
if f[1] ~= 'open' then
  return {'settled'}
end
if f[2] ~= ARGV[1] then
  return {'stale'}
end
local t = redis.call('TIME')
local now = t[1] .. string.format('%03d', math.floor(t[2] / 1000))
redis.call('HSET', KEYS[1], 'h', now)
if ARGV[3] ~= '' then
  redis.call('XCLAIM', KEYS[2], 'w', ARGV[2], 0, ARGV[3], 'JUSTID')
end
return {'beating', now}
