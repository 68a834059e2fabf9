-- Hands a bucket's due matches to one worker for a while, so that not all look at the same ones. Reads only where nothing is due.
--
-- KEYS: the bucket's due matches, who looks at them. ARGV: the worker, for how long in ms, at most so many.
-- Answers the match ids, longest due first; none if another worker looks at them.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[3])
if #due == 0 then return due end
local holder = redis.call('GET', KEYS[2])
if holder and holder ~= ARGV[1] then return {} end
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
return due
