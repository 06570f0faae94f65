-- Commit one decision about a session over a map: everything of it, or nothing.
-- KEYS: session, open, wake, nudge, then what operations name by index; a settlement names the first
--       of five in a row: fire, payload, settlement, journal, row
-- ARGV: revision, next revision, token, topology, retention in ms, longest announced receipt,
--       settlements, fences; per settlement: index, token, by, status, id, address, body;
--       per fence: index of the fire, fence; then operations: command, index, count, words ...
-- Replies: {'committed', revision, now, 'won' or 'lost', stored, ...}  {'conflict', revision}
--          {'settled', id}  {'stale', fence}
-- Invariant: written only on the revision it was decided on; a repeat of the last token, <series>.<n>, of
--            a recent series writes nothing and is told the same. STAMP dates a field, QUEUE nudges.
local at = redis.call('HMGET', KEYS[1], 'rev', 'topology', 'done')
local t, done = redis.call('TIME'), at[3] or ''
local again = string.find(done, ARGV[3] .. ' ', 1, true)
if not again and ((at[1] or '0') ~= ARGV[1] or (at[2] or ARGV[4]) ~= ARGV[4]) then
  return {'conflict', at[1] or '0'}
end
local now, first = t[1] .. string.format('%03d', math.floor(t[2] / 1000)), 9 + 7 * ARGV[7]
local reply, i = {'committed', ARGV[2], now}, first + 2 * ARGV[8]
for f = first, i - 1, 2 do
  if not again and redis.call('HGET', KEYS[tonumber(ARGV[f])], 'c') ~= ARGV[f + 1] then
    return {'stale', ARGV[f + 1]}
  end
end
for s = 9, first - 7, 7 do
  if not again and redis.call('EXISTS', KEYS[ARGV[s] + 2]) == 1 then
    return {'settled', ARGV[s + 4]}
  end
end
while i <= #ARGV and not again do
  local key, last = KEYS[tonumber(ARGV[i + 1])], i + 2 + tonumber(ARGV[i + 2])
  if ARGV[i] == 'STAMP' then
    redis.call('HSET', key, ARGV[i + 3], now)
  elseif ARGV[i] == 'QUEUE' then
    local entry = redis.call('XADD', key, '*', 's', ARGV[i + 4], 'f', ARGV[i + 5])
    redis.call('PUBLISH', KEYS[4], table.concat({ARGV[i + 3], entry, ARGV[i + 4], ARGV[i + 5]}, '\n'))
  else
    redis.call(ARGV[i], key, unpack(ARGV, i + 3, last))
  end
  i = last + 1
end
if not again then
  done = ARGV[3] .. ' ' .. string.gsub(done, string.match(ARGV[3], '^[^.]*') .. '%.%d+ ', '', 1)
  redis.call('HSET', KEYS[1], 'rev', ARGV[2], 'done', string.sub(done, 1, 8192))
end
for s = 9, first - 7, 7 do
  local k, token, id, body = tonumber(ARGV[s]), ARGV[s + 1], ARGV[s + 4], ARGV[s + 6]
  local stored = table.concat({token, now, ARGV[s + 2], ARGV[s + 3], id}, ' ') .. '\n' .. body
  if not again and redis.call('SET', KEYS[k + 2], stored, 'NX', 'PX', ARGV[5] + 60000) then
    redis.call('HSET', KEYS[k], 's', ARGV[s + 3], 'z', now)
    for _, key in ipairs({KEYS[k], KEYS[k + 1], KEYS[k + 3], KEYS[k + 4]}) do
      redis.call('PEXPIRE', key, ARGV[5])
    end
    redis.call('ZREM', KEYS[2], id)
    redis.call('PUBLISH', KEYS[3], 'S' .. ARGV[s + 5] .. '\n' .. (#stored <= tonumber(ARGV[6]) and stored or ''))
  end
  stored = redis.call('GET', KEYS[k + 2]) or ''
  local won = string.sub(stored, 1, #token + 1) == token .. ' '
  reply[#reply + 1], reply[#reply + 2] = won and 'won' or 'lost', stored
end
return reply
