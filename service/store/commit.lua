-- Commits the steps of a match: all of them or none.
--
-- KEYS: match (hash: r = revision, s = snapshot), log (stream: one entry a step, its id <version>-0, its field e), a scratch key to mend a log with.
-- ARGV: revision that is expected (0: the match is new), revision that it becomes, version before the steps, snapshot, time to live in ms, entries...
-- Answers COMMITTED, CONFLICT, GONE or CORRUPT.
--
-- Redis does not roll a failed script back. So everything is read and checked before the first write, and the last write, the HSET of the revision, is the
-- commit: a match without a revision is none, log entries above the snapshot's version do not exist for anybody. What a script that failed before that left
-- behind is cleared away by the next commit, or expires.

local match, log, scratch = KEYS[1], KEYS[2], KEYS[3]
local expected, becomes, before, snapshot, ttl = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]
local is_new = expected == '0'

local kind = redis.call('TYPE', match).ok
if kind ~= 'none' and kind ~= 'hash' then return 'CORRUPT' end
local revision = kind == 'hash' and redis.call('HGET', match, 'r')
if is_new and revision then return 'CONFLICT' end
if not is_new and not revision then return 'GONE' end
if not is_new and revision ~= expected then return 'CONFLICT' end

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
  for index = 6, #ARGV do redis.call('XADD', log, (before + index - 5) .. '-0', 'e', ARGV[index]) end
  if before + #ARGV > 5 then redis.call('PEXPIRE', log, ttl) end
  if is_new then redis.call('HSET', match, 's', snapshot) end
  redis.call('PEXPIRE', match, ttl)
  redis.call('HSET', match, 'r', becomes, 's', snapshot)
end

local is_written, failure = pcall(write)
if not is_written then
  -- Only keys that did not exist before go: they may not have got their time to live yet.
  pcall(redis.call, 'DEL', scratch)
  if is_new then pcall(redis.call, 'DEL', match) end
  if log_kind == 'none' then pcall(redis.call, 'DEL', log) end
  error(failure)
end
return 'COMMITTED'
