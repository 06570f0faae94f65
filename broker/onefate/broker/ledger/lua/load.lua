-- Read a session over a map and the records a decision needs; begin a new epoch when the store's
-- history changed.
-- KEYS: session, then one per read
-- ARGV: known revision, topology, least epoch, kind, map, options, then the reads in the order of their keys:
--       'rows' count field ... | 'log' start stop | 'value'
-- Replies: {'loaded' or 'same', revision, epoch, n, now, {field, value, ...}, {result, ...}}
--          {'pins', kind, map, options}
-- Invariant: one instant of the session; a revision is never used twice, not even after data loss.
local at = redis.call('HMGET', KEYS[1], 'kind', 'map', 'options', 'topology', 'epoch', 'n', 'rev')
if at[1] and (at[1] ~= ARGV[4] or at[2] ~= ARGV[5] or at[3] ~= ARGV[6]) then
  return {'pins', at[1], at[2] or '', at[3] or ''}
end
local epoch, rev = at[5] or ARGV[3], at[7] or '0'
if at[1] and at[4] ~= ARGV[2] then
  epoch = math.max(epoch + 1, tonumber(ARGV[3]))
  rev = string.format('%.0f', epoch * 4294967296)
  redis.call('HSET', KEYS[1], 'topology', ARGV[2], 'epoch', epoch, 'rev', rev)
end
local results, i = {}, 7
for k = 2, #KEYS do
  if ARGV[i] == 'rows' then
    local last = i + 1 + tonumber(ARGV[i + 1])
    results[#results + 1] = redis.call('HMGET', KEYS[k], unpack(ARGV, i + 2, last))
    i = last + 1
  elseif ARGV[i] == 'log' then
    results[#results + 1] = redis.call('LRANGE', KEYS[k], ARGV[i + 1], ARGV[i + 2])
    i = i + 3
  else
    results[#results + 1] = redis.call('GET', KEYS[k])
    i = i + 1
  end
end
local t = redis.call('TIME')
local now = t[1] .. string.format('%03d', math.floor(t[2] / 1000))
if rev == ARGV[1] then
  return {'same', rev, epoch, at[6] or '0', now, {}, results}
end
return {'loaded', rev, epoch, at[6] or '0', now, redis.call('HGETALL', KEYS[1]), results}
