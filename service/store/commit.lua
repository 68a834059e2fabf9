-- Commits the steps of a match: all of them or none.
--
-- KEYS: match (hash: r = revision, s = snapshot), log (stream: one entry a step, its id <version>-0, its field e), a scratch key to mend a log with,
-- the bucket's due matches (sorted set: match id by the time at which it is to be looked at), the bucket's channel (told the match id and what its
-- revision has become; no key).
-- ARGV: revision that is expected (0: the match is new), revision that it becomes, version before the steps, snapshot, time to live in ms, match id,
-- time at which it is due (0: never), earliest and latest time at which this may be committed (0: any), entries... Times in ms by this Redis' clock.
-- Answers COMMITTED, CONFLICT, GONE, CORRUPT, EARLY or LATE.
--
-- Redis does not roll a failed script back. So everything is read and checked before the first write, and the last write, the HSET of the revision, is the
-- commit: a match without a revision is none, log entries above the snapshot's version do not exist for anybody. What a script that failed before that left
-- behind is cleared away by the next commit, or expires.

local match, log, scratch, due, channel = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local expected, becomes, before, snapshot, ttl = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]
local match_id, due_at, not_before, not_after = ARGV[6], ARGV[7], tonumber(ARGV[8]), tonumber(ARGV[9])
local first = 10
local is_new = expected == '0'

local kind = redis.call('TYPE', match).ok
if kind ~= 'none' and kind ~= 'hash' then return 'CORRUPT' end
local revision = kind == 'hash' and redis.call('HGET', match, 'r')
if is_new and revision then return 'CONFLICT' end
if not is_new and not revision then return 'GONE' end
if not is_new and revision ~= expected then return 'CONFLICT' end

if not_before > 0 or not_after > 0 then
  local clock = redis.call('TIME')
  local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
  if now < not_before then return 'EARLY' end
  if not_after > 0 and now >= not_after then return 'LATE' end
end

local due_kind = redis.call('TYPE', due).ok
if due_kind ~= 'none' and due_kind ~= 'zset' then return 'CORRUPT' end
local log_kind = redis.call('TYPE', log).ok
if log_kind ~= 'none' and log_kind ~= 'stream' then return 'CORRUPT' end
if is_new then before = 0 end
local tip = 0
local kept = {}
if log_kind == 'stream' then
  local last = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
  if last then tip = tonumber(string.match(last[1], '^(%d+)-0$')) or -1 end
  if tip > before then kept = redis.call('XRANGE', log, '-', before .. '-0') end
end
if tip < before or (tip > before and #kept ~= before) then return 'CORRUPT' end

local function write()
  if tip > before then
    -- A stream takes no id below one that it ever had, so the log is written anew and put in its place by one command.
    redis.call('DEL', scratch)
    for _, entry in ipairs(kept) do redis.call('XADD', scratch, entry[1], 'e', entry[2][2]) end
    if before > 0 then
      redis.call('PEXPIRE', scratch, ttl)
      redis.call('RENAME', scratch, log)
    else
      redis.call('DEL', log)
    end
  end
  for index = first, #ARGV do redis.call('XADD', log, (before + index - first + 1) .. '-0', 'e', ARGV[index]) end
  if before + #ARGV >= first then redis.call('PEXPIRE', log, ttl) end
  -- A match that is due too often is looked at for nothing; one that is not due would wait for ever: so this comes before the commit, and goes after it.
  if due_at ~= '0' then redis.call('ZADD', due, due_at, match_id) end
  if is_new then redis.call('HSET', match, 's', snapshot) end
  redis.call('PEXPIRE', match, ttl)
  redis.call('HSET', match, 'r', becomes, 's', snapshot)
end

-- What follows the commit may fail without harm: a match that is not due any more is looked at once more, a watcher looks by itself after a while.
local function follow_up()
  if due_at == '0' and due_kind == 'zset' then redis.call('ZREM', due, match_id) end
  redis.call('SPUBLISH', channel, match_id .. ' ' .. becomes)
end

local is_written, failure = pcall(write)
if not is_written then
  -- Only keys that did not exist before go: they may not have got their time to live yet.
  pcall(redis.call, 'DEL', scratch)
  if is_new then pcall(redis.call, 'DEL', match) end
  if log_kind == 'none' then pcall(redis.call, 'DEL', log) end
  return { err = type(failure) == 'table' and failure.err or failure } -- as Redis said it: error() would put a place before its first word
end
pcall(follow_up)
return 'COMMITTED'
