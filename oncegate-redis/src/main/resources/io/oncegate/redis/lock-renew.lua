-- LockMachine.renew
-- KEYS: lock   ARGV: fence and attempt, lease
local lock = redis.call('GET', KEYS[1])
if not lock then
    return 'L'
end
local version, waited, leaseEnd, windowEnd, fence = struct.unpack('>BBi8i8i8', lock)
if version ~= 1 then
    return 'V'
end
if string.sub(lock, 19, 42) ~= ARGV[1] then
    return 'L'
end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
if now >= leaseEnd then
    return 'L'
end
local resultUntil = #lock > 42 and struct.unpack('>i8', lock, 51) or 0
leaseEnd = now + ARGV[2]
redis.call('SET', KEYS[1],
    struct.pack('>BBi8', 1, waited, leaseEnd) .. string.sub(lock, 11),
    'PX', math.ceil((math.max(now, leaseEnd, windowEnd, resultUntil, fence + @margin@) - now) / 1000) + 1)
return 'D'
