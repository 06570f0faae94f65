-- Record one fire of a plain ledger under the number its caller expects to be next.
-- KEYS: session, open, fire, payload, work, nudge, token
-- ARGV: topology, least epoch, epoch, n, order, id, action, principal, by, token,
--       payload ('' = none), queue ('' = none), repeatable ('1' or ''), session id,
--       digest ('' = the token is not the caller's own), retention in ms
-- Replies: {'recorded', id, at}  {'known', id, digest}  {'moved', epoch, n}  {'kind', kind}
-- Invariant: a number is given once; the fire, its payload, its place among the open ones and its
--            work entry appear together. A repeat with the same token writes nothing.
local at = redis.call('HMGET', KEYS[1], 'kind', 'epoch', 'n', 'topology')
local epoch, n = tonumber(at[2] or 0), tonumber(at[3] or 0)
local free = epoch == tonumber(ARGV[3]) and n == tonumber(ARGV[4])
if not free or at[1] ~= 'ledger' or at[4] ~= ARGV[1] then
  local told = redis.call('HMGET', KEYS[3], 'k', 't')
  if told[1] == ARGV[10] then
    return {'recorded', ARGV[6], told[2]}
  end
end
local known = ARGV[15] ~= '' and redis.call('GET', KEYS[7])
if known then
  return {'known', known}
end
if at[1] and at[1] ~= 'ledger' then
  return {'kind', at[1]}
end
if at[4] ~= ARGV[1] then
  epoch = math.max(at[1] and epoch + 1 or 0, tonumber(ARGV[2]))
  redis.call('HSET', KEYS[1], 'kind', 'ledger', 'topology', ARGV[1], 'epoch', epoch, 'n', n)
  free = epoch == tonumber(ARGV[3]) and n == tonumber(ARGV[4])
end
if not free then
  return {'moved', epoch, n}
end
local t = redis.call('TIME')
local now = t[1] .. string.format('%03d', math.floor(t[2] / 1000))
redis.call('HSET', KEYS[1], 'n', n + 1)
local fields = {'a', ARGV[7], 'p', ARGV[8], 's', 'open', 't', now, 'b', ARGV[9], 'k', ARGV[10]}
if ARGV[12] ~= '' then
  fields[13], fields[14] = 'q', ARGV[12]
end
if ARGV[13] ~= '' then
  fields[#fields + 1], fields[#fields + 2] = 'r', ARGV[13]
end
redis.call('HSET', KEYS[3], unpack(fields))
if ARGV[11] ~= '' then
  redis.call('SET', KEYS[4], ARGV[11])
end
redis.call('ZADD', KEYS[2], ARGV[5], ARGV[6])
if ARGV[15] ~= '' then
  redis.call('SET', KEYS[7], ARGV[15] .. ' ' .. ARGV[6], 'PX', ARGV[16])
end
if ARGV[12] ~= '' then
  local entry = redis.call('XADD', KEYS[5], '*', 's', ARGV[14], 'f', ARGV[6])
  redis.call('PUBLISH', KEYS[6], ARGV[12] .. '\n' .. entry .. '\n' .. ARGV[14] .. '\n' .. ARGV[6])
end
return {'recorded', ARGV[6], now}
