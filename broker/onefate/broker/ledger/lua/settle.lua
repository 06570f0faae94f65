-- Settle one fire of a plain ledger, or keep what came too late beside it.
-- KEYS: session, open, fire, payload, settlement, journal, wake, work
-- ARGV: session id, number, id, action, token, by, status, body, kept as, fence ('' = none),
--       retention in ms, work entry ('' = none), longest announced receipt
-- Replies: {'won', stored}  {'lost', stored}  {'stale', stored or ''}  {'absent', kind, epoch, n}
--          {'kind', kind}
-- Invariant: the settlement is taken by SET NX and never rewritten; a repeat with the same token is
--            told what the first attempt was told; nothing that lost is dropped.
local session = redis.call('HMGET', KEYS[1], 'kind', 'epoch', 'n')
if session[1] and session[1] ~= 'ledger' then
  return {'kind', session[1]}
end
local fire = redis.call('HMGET', KEYS[3], 'a', 'c', 's')
local stored = redis.call('GET', KEYS[5])
if fire[1] and fire[1] ~= ARGV[4] then
  return {'absent', session[1] or '', 0, 0}
end
if fire[3] ~= 'open' and not stored then
  return {'absent', session[1] or '', session[2] or 0, session[3] or 0}
end
if stored and string.sub(stored, 1, #ARGV[5] + 1) == ARGV[5] .. ' ' then
  return {'won', stored}
end
local t = redis.call('TIME')
local stale = ARGV[10] ~= '' and ARGV[10] ~= fire[2]
if stored or stale then
  local entry = ARGV[9] .. ' ' .. ARGV[5] .. ' ' .. ARGV[6] .. ' ' .. ARGV[7] .. '\n' .. ARGV[8]
  redis.call('ZADD', KEYS[6], 'NX', t[1] .. string.format('%06d', t[2]), entry)
  if stored then
    redis.call('PEXPIRE', KEYS[6], math.max(redis.call('PTTL', KEYS[5]), 1))
  end
  return {stale and 'stale' or 'lost', stored or ''}
end
local now = t[1] .. string.format('%03d', math.floor(t[2] / 1000))
stored = ARGV[5] .. ' ' .. now .. ' ' .. ARGV[6] .. ' ' .. ARGV[7] .. ' ' .. ARGV[3] .. '\n' .. ARGV[8]
redis.call('SET', KEYS[5], stored, 'NX', 'PX', ARGV[11] + 60000)
redis.call('HSET', KEYS[3], 's', ARGV[7], 'z', now)
redis.call('PEXPIRE', KEYS[3], ARGV[11])
redis.call('PEXPIRE', KEYS[4], ARGV[11])
redis.call('PEXPIRE', KEYS[6], ARGV[11])
redis.call('ZREM', KEYS[2], ARGV[3])
if ARGV[12] ~= '' then
  redis.call('XACK', KEYS[8], 'w', ARGV[12])
  redis.call('XDEL', KEYS[8], ARGV[12])
end
local small = #stored <= tonumber(ARGV[13]) and stored or ''
redis.call('PUBLISH', KEYS[7], 'S' .. ARGV[1] .. ':' .. ARGV[2] .. '\n' .. small)
return {'won', stored}
