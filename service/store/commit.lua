-- Commits the steps of a match: all of them or none.
--
-- KEYS: match (hash: r = revision, s = snapshot), log (stream: one entry a step, its id <version>-0, its field e).
-- ARGV: revision that is expected (0: the match is new), revision that it becomes, version before the steps, snapshot, time to live in ms, entries...
-- Answers COMMITTED, CONFLICT, GONE or CORRUPT.
--
-- Redis does not roll a failed script back. So everything is read and checked before the first write; the log is written before the snapshot, whose HSET is
-- the commit: entries above the snapshot's version do not exist for anybody. What was written is undone if a later command fails; what even that leaves
-- in the log is cleared away by the next commit.

local match, log = KEYS[1], KEYS[2]
local expected, becomes, before, snapshot, ttl = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]
local is_new = expected == '0'

local kind = redis.call('TYPE', match).ok
local log_kind = redis.call('TYPE', log).ok
if kind == 'none' then
  if not is_new then return 'GONE' end
elseif kind ~= 'hash' then
  return 'CORRUPT'
elseif is_new or redis.call('HGET', match, 'r') ~= expected then
  return 'CONFLICT'
end
if log_kind ~= 'none' and log_kind ~= 'stream' then return 'CORRUPT' end

local tip = 0
if log_kind == 'stream' then
  local last = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
  if last then tip = tonumber(string.match(last[1], '^(%d+)-0$')) or -1 end
end
if is_new then before = 0 end
if tip < before then return 'CORRUPT' end

local function write(...)
  local answer = redis.pcall(...)
  if type(answer) == 'table' and answer.err then return answer end
  return nil
end

-- Clears away log entries above the version before, and sets the stream's last id back so that they can be written again.
local function clear_log()
  if is_new then return write('DEL', log) end
  local above = redis.pcall('XRANGE', log, '(' .. before .. '-0', '+')
  if above.err then return above end
  for _, entry in ipairs(above) do
    local failed = write('XDEL', log, entry[1])
    if failed then return failed end
  end
  return write('XSETID', log, before .. '-0')
end

local function undo(failure)
  clear_log()
  if is_new then write('DEL', match) end
  return failure
end

if tip > before or (is_new and log_kind == 'stream') then
  local failed = clear_log()
  if failed then return failed end
end

for index = 6, #ARGV do
  local failed = write('XADD', log, (before + index - 5) .. '-0', 'e', ARGV[index])
  if failed then return undo(failed) end
end
if #ARGV > 5 or log_kind == 'stream' then
  local failed = write('PEXPIRE', log, ttl)
  if failed then return undo(failed) end
end
if is_new then
  local failed = write('HSET', match, 'r', becomes, 's', snapshot)
  if failed then return undo(failed) end
  failed = write('PEXPIRE', match, ttl)
  if failed then return undo(failed) end
else
  local failed = write('PEXPIRE', match, ttl)
  if failed then return undo(failed) end
  failed = write('HSET', match, 'r', becomes, 's', snapshot)
  if failed then return undo(failed) end
end
return 'COMMITTED'
