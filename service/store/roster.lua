-- Keeps the list of workers that are there. KEYS: the list. ARGV: the worker, for how long in ms what it says holds (0: it goes). Answers all that are there.

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local lifetime = tonumber(ARGV[2])
if lifetime == 0 then
  redis.call('ZREM', KEYS[1], ARGV[1])
  return {}
end
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - lifetime)) do redis.call('ZREM', KEYS[1], gone) end
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('PEXPIRE', KEYS[1], lifetime)
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '+inf')
