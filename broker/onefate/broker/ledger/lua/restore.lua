-- Put back a fire, and its settlement, that were acknowledged and that the store may have lost.
-- KEYS: session, open, fire, payload, settlement, journal, wake, work, nudge
-- ARGV: id, order, next n, session id, number, payload ('' = none), queue ('' = not performed again),
--       settlement ('' = open), retention in ms, then the fire's field, value, ... if known
-- Replies: {'kept'}  {'restored'}  {'conflict', stored}
-- Invariant: what is there stays; another settlement found under the id is a conflict, told to the
--            caller and kept in the journal.
local answer = 'kept'
local stored = redis.call('GET', KEYS[5])
if #ARGV > 9 and redis.call('EXISTS', KEYS[3]) == 0 then
  redis.call('HSET', KEYS[3], unpack(ARGV, 10))
  if tonumber(redis.call('HGET', KEYS[1], 'n') or 0) < tonumber(ARGV[3]) then
    redis.call('HSET', KEYS[1], 'n', ARGV[3])
  end
  if ARGV[6] ~= '' then
    redis.call('SET', KEYS[4], ARGV[6])
  end
  if not stored and ARGV[8] == '' then
    redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
    if ARGV[7] ~= '' then
      local entry = redis.call('XADD', KEYS[8], '*', 's', ARGV[4], 'f', ARGV[1])
      redis.call('PUBLISH', KEYS[9], table.concat({ARGV[7], entry, ARGV[4], ARGV[1]}, '\n'))
    end
  end
  answer = 'restored'
end
if not stored and ARGV[8] ~= '' then
  redis.call('SET', KEYS[5], ARGV[8], 'NX', 'PX', ARGV[9] + 60000)
  redis.call('PUBLISH', KEYS[7], 'S' .. ARGV[4] .. ':' .. ARGV[5] .. '\n')
  stored, answer = ARGV[8], 'restored'
end
if stored and redis.call('EXISTS', KEYS[3]) == 1 then
  local at, status = string.match(stored, '^[^ ]+ ([^ ]+) [^ ]+ ([^ ]+) ')
  redis.call('HSET', KEYS[3], 's', status, 'z', at)
  for _, key in ipairs({KEYS[3], KEYS[4], KEYS[6]}) do
    redis.call('PEXPIRE', key, ARGV[9])
  end
  redis.call('ZREM', KEYS[2], ARGV[1])
end
if ARGV[8] == '' or stored == ARGV[8] then
  return {answer}
end
local t = redis.call('TIME')
local entry = 'lost ' .. string.gsub(string.gsub(ARGV[8], ' [^ ]+', '', 1), ' [^ \n]+\n', '\n', 1)
redis.call('ZADD', KEYS[6], 'NX', t[1] .. string.format('%06d', t[2]), entry)
redis.call('PEXPIRE', KEYS[6], math.max(redis.call('PTTL', KEYS[5]), 1))
return {'conflict', stored}
