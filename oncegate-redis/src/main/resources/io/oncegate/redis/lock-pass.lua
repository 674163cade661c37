-- LockMachine.pass
-- KEYS: lock   ARGV: fence and attempt, next attempt, lease, time to live in ms [, window]
local lock = redis.call('GET', KEYS[1])
if not lock then
    return 'L'
end
local version, waited, leaseEnd, windowEnd, last = struct.unpack('>BBi8i8i8', lock)
if version ~= 1 then
    return 'V'
end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
if now >= leaseEnd then
    return 'L'
end
if string.sub(lock, 19, 42) ~= ARGV[1] then
    if string.sub(lock, 27, 42) == ARGV[2] and last > struct.unpack('>i8', ARGV[1]) then
        return 'G' .. string.sub(lock, 19, 26)
    end
    return 'L'
end
if now < windowEnd then
    return 'L'
end
local fence = math.max(last + 1, now)
local timeToLive = ARGV[4]
local kept = ''
leaseEnd = now + ARGV[3]
windowEnd = ARGV[5] and now + ARGV[5] or 0
if fence > now or #lock > 42 then
    kept = string.sub(lock, 43)
    local resultUntil = kept ~= '' and struct.unpack('>i8', kept, 9) or 0
    timeToLive = math.ceil((math.max(now, leaseEnd, windowEnd, resultUntil, fence + @margin@) - now) / 1000) + 1
end
local value = struct.pack('>BBi8i8i8c16', 1, waited, leaseEnd, windowEnd, fence, ARGV[2]) .. kept
redis.call('SET', KEYS[1], value, 'PX', timeToLive)
return 'G' .. string.sub(value, 19, 26)
