-- End a session that has no open fires: what is left is a stone that keeps its ids from being reused.
-- KEYS: session, open, then every table and log of the session
-- ARGV: none
-- Replies: {'ended'}  {'open', number of open fires}
-- Invariant: an open fire is never dropped; the counter, the epoch and the revision stay for ever.
-- Settled fires keep their own lives.
local open = redis.call('ZCARD', KEYS[2])
if open > 0 then
  return {'open', open}
end
local at = redis.call('HMGET', KEYS[1], 'n', 'epoch', 'topology', 'rev')
redis.call('DEL', unpack(KEYS))
redis.call('HSET', KEYS[1], 'kind', 'ended', 'n', at[1] or 0, 'epoch', at[2] or 0)
redis.call('HSET', KEYS[1], 'topology', at[3] or '', 'rev', at[4] or 0)
redis.call('HINCRBY', KEYS[1], 'rev', 1)
return {'ended'}
