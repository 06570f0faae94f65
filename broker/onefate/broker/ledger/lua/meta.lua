-- Write the namespace record where it is missing, and give what stands.
-- KEYS: meta
-- ARGV: field, value, ...
-- Replies: {field, value, ...}
-- Invariant: a field is written once.
for i = 1, #ARGV, 2 do
  redis.call('HSETNX', KEYS[1], ARGV[i], ARGV[i + 1])
end
return redis.call('HGETALL', KEYS[1])
