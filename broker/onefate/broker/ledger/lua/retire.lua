-- Take a consumer that holds nothing out of a work stream's group; an empty stream goes with its last.
-- KEYS: work
-- ARGV: consumer
-- Replies: {'retired'}  {'removed'}  {'holds', number of entries}
-- Invariant: an entry that somebody was given, or that nobody has read, is never dropped.
local held = redis.call('XPENDING', KEYS[1], 'w', '-', '+', 1, ARGV[1])
if #held > 0 then
  return {'holds', #held}
end
redis.call('XGROUP', 'DELCONSUMER', KEYS[1], 'w', ARGV[1])
if redis.call('XLEN', KEYS[1]) == 0 and #redis.call('XINFO', 'CONSUMERS', KEYS[1], 'w') == 0 then
  redis.call('DEL', KEYS[1])
  return {'removed'}
end
return {'retired'}
