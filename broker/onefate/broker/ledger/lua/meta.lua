-- Write the namespace record where it is missing, begin a new epoch when the store's history changed,
-- and give what stands.
-- KEYS: meta
-- ARGV: topology, least epoch, then field, value, ...
-- Replies: {field, value, ...}
-- Invariant: a field is written once; the epoch only grows, and grows with every other topology.
for i = 3, #ARGV, 2 do
  redis.call('HSETNX', KEYS[1], ARGV[i], ARGV[i + 1])
end
local at = redis.call('HMGET', KEYS[1], 'topology', 'epoch')
local epoch = tonumber(at[2] or 0)
if at[1] and at[1] ~= ARGV[1] then
  epoch = epoch + 1
end
epoch = math.max(epoch, tonumber(ARGV[2]))
redis.call('HSET', KEYS[1], 'topology', ARGV[1], 'epoch', epoch)
return redis.call('HGETALL', KEYS[1])
