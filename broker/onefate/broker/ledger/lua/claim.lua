-- Claim one fire for a worker: started once, unless the fire is repeatable and its worker is silent.
-- KEYS: fire, payload, settlement, journal, work
-- ARGV: action, worker, claim token, lease in ms, work entry ('' = none)
-- Replies: {'claimed', attempt, principal, at, payload or '', repeatable or ''}
--          {'started', by, attempt, seen}  {'settled', stored}  {'absent'}
-- Invariant: the attempt only grows and is the fence; a claim repeated with its token is told the
--            same. The work entry of a fire that starts once is gone with its claim.
local f = redis.call('HMGET', KEYS[1], 'a', 's', 'w', 'c', 'h', 'r', 'p', 't')
local function finish(reply)
  if ARGV[5] ~= '' then
    redis.call('XACK', KEYS[5], 'w', ARGV[5])
    redis.call('XDEL', KEYS[5], ARGV[5])
  end
  return reply
end
if f[1] ~= ARGV[1] then
  return finish({'absent'})
end
if f[2] ~= 'open' then
  return finish({'settled', redis.call('GET', KEYS[3]) or ''})
end
local t = redis.call('TIME')
local now = t[1] .. string.format('%03d', math.floor(t[2] / 1000))
local claim = ARGV[2] .. ' ' .. ARGV[3] .. ' '
local attempt = tonumber(f[4] or 0)
if not f[3] or string.sub(f[3], 1, #claim) ~= claim then
  if f[3] and f[6] ~= '1' then
    return finish({'started', f[3], f[4], f[5]})
  end
  if f[3] and tonumber(now) - tonumber(f[5]) < tonumber(ARGV[4]) then
    return {'started', f[3], f[4], f[5]}
  end
  if f[3] then
    local earlier = 'started ' .. f[3] .. ' ' .. f[4] .. ' ' .. f[5]
    redis.call('ZADD', KEYS[4], 'NX', t[1] .. string.format('%06d', t[2]), earlier)
  end
  attempt = attempt + 1
  redis.call('HSET', KEYS[1], 'w', claim .. now, 'c', attempt, 'h', now)
end
local reply = {'claimed', attempt, f[7], f[8], redis.call('GET', KEYS[2]) or '', f[6] or ''}
if f[6] == '1' then
  return reply
end
return finish(reply)
