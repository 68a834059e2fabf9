-- Takes a match that is gone off the list of those that are due, unless it was made again meanwhile. KEYS: match, the bucket's due matches. ARGV: match id.

if redis.call('HGET', KEYS[1], 'r') then return 0 end
return redis.call('ZREM', KEYS[2], ARGV[1])
