-- LockMachine.end
-- KEYS: lock [, result]
-- ARGV: fence and attempt, zeros over what ends: waited and lease end, if released also window end [, result, retention]
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
if leaseEnd == 0 then
    return 'D'
end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
if now >= leaseEnd then
    return 'L'
end
if ARGV[3] then
    local resultUntil = math.max(now, windowEnd, now + ARGV[4])
    redis.call('SET', KEYS[2], string.sub(ARGV[1], 1, 8) .. ARGV[3],
        'PX', math.ceil((resultUntil - now) / 1000) + 1)
    redis.call('SET', KEYS[1],
        struct.pack('>BBi8i8c24', 1, 0, 0, windowEnd, ARGV[1]) .. string.sub(ARGV[1], 1, 8)
            .. struct.pack('>i8', resultUntil),
        'PX', math.ceil((math.max(resultUntil, fence + @margin@, now + @margin@) - now) / 1000) + 1)
else
    -- in place; the time to live stays, and no key goes while a script runs
    redis.call('SETRANGE', KEYS[1], 1, ARGV[2])
    if math.max(leaseEnd, windowEnd) - now > @margin@ or now - fence > @margin@ / 2 then
        -- it would stay for longer than its fence is needed, or go before this end can be sent again
        local resultUntil = #lock > 42 and struct.unpack('>i8', lock, 51) or 0
        if #ARGV[2] > 9 then
            windowEnd = 0
        end
        redis.call('PEXPIRE', KEYS[1],
            math.ceil((math.max(windowEnd, resultUntil, fence + @margin@, now + @margin@) - now) / 1000) + 1)
    end
end
if waited == 1 then
    -- a signal that is not allowed is not worth the end
    redis.pcall('PUBLISH', KEYS[1], '')
end
return 'D'
