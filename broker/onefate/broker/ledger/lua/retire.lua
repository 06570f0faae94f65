-- Take a consumer that holds nothing out of a work stream's group.
-- KEYS: work
-- ARGV: consumer
-- Replies: {'retired'}  {'holds', number of entries}
-- Invariant: an entry that somebody was given is never dropped with its consumer.
local held = redis.call('XPENDING', KEYS[1], 'w', '-', '+', 1, ARGV[1])
if #held > 0 then
  return {'holds', #held}
end
redis.call('XGROUP', 'DELCONSUMER', KEYS[1], 'w', ARGV[1])
return {'retired'}
