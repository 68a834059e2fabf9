-- Says what lies in a bucket for a sweep, and hands its due matches to one worker for a while, so that not all look at the same ones. Reads only, and one
-- length, where nothing waits.
--
-- KEYS: the bucket's due matches, who looks at them. ARGV: the worker, for how long in ms, at most so many, patience in ms.
-- Answers nothing if nothing waits; else how many wait, since when the first is due (0: none is), and then the match ids, longest due first. If another
-- worker looks at them: none, but for any one that is due for longer than the patience. That worker may not know its rules, as during an upgrade.

local waiting = redis.call('ZCARD', KEYS[1])
if waiting == 0 then return {} end
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'WITHSCORES', 'LIMIT', 0, ARGV[3])
if #due == 0 then return {waiting, '0'} end
local answer = {waiting, due[2]}
local holder = redis.call('GET', KEYS[2])
if holder and holder ~= ARGV[1] then
  local late = 0
  while late * 2 < #due and now - due[late * 2 + 2] > tonumber(ARGV[4]) do late = late + 1 end
  if late > 0 then answer[3] = due[clock[2] % late * 2 + 1] end
  return answer
end
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
for index = 1, #due, 2 do answer[#answer + 1] = due[index] end
return answer
