-- Record one fire of a plain ledger under the number its caller expects to be next.
-- KEYS: session, open, fire, payload, work, nudge, token
-- ARGV: topology, epoch, n, order, id, action, principal, by, token, payload ('' = none),
--       queue ('' = none), repeatable ('1' or ''), session id, digest ('' = token is not the caller's
--       own), retention in ms
-- Replies: {'recorded', id, at}  {'known', id, digest}  {'moved', epoch, n}  {'kind', kind}
-- Invariant: a number is given once; the fire, its payload, its place among the open ones and its
--            work entry appear together. A repeat with the same token writes nothing.
local told = redis.call('HMGET', KEYS[3], 'k', 't')
if told[1] == ARGV[9] then
  return {'recorded', ARGV[5], told[2]}
end
local known = ARGV[14] ~= '' and redis.call('GET', KEYS[7])
if known then
  return {'known', known}
end
local at = redis.call('HMGET', KEYS[1], 'kind', 'epoch', 'n', 'topology')
if at[1] and at[1] ~= 'ledger' then
  return {'kind', at[1]}
end
local epoch, n = tonumber(at[2] or 0), tonumber(at[3] or 0)
if at[4] ~= ARGV[1] then
  if at[1] then
    epoch = epoch + 1
  end
  redis.call('HSET', KEYS[1], 'kind', 'ledger', 'topology', ARGV[1], 'epoch', epoch, 'n', n)
end
if epoch ~= tonumber(ARGV[2]) or n ~= tonumber(ARGV[3]) then
  return {'moved', epoch, n}
end
local t = redis.call('TIME')
local now = t[1] .. string.format('%03d', math.floor(t[2] / 1000))
redis.call('HSET', KEYS[1], 'n', n + 1)
redis.call('HSET', KEYS[3], 'a', ARGV[6], 'p', ARGV[7], 's', 'open', 't', now, 'b', ARGV[8], 'k', ARGV[9])
if ARGV[12] ~= '' then
  redis.call('HSET', KEYS[3], 'r', ARGV[12])
end
if ARGV[10] ~= '' then
  redis.call('SET', KEYS[4], ARGV[10])
end
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[5])
if ARGV[14] ~= '' then
  redis.call('SET', KEYS[7], ARGV[14] .. ' ' .. ARGV[5], 'PX', ARGV[15])
end
if ARGV[11] ~= '' then
  redis.call('HSET', KEYS[3], 'q', ARGV[11])
  redis.call('XADD', KEYS[5], '*', 's', ARGV[13], 'f', ARGV[5])
  redis.call('PUBLISH', KEYS[6], ARGV[11])
end
return {'recorded', ARGV[5], now}
