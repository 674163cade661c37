-- LockMachine.acquire
-- KEYS: lock [, result, if it is wanted]
-- ARGV: attempt, lease, time to live in ms [, window or 0, 1 to hear of the end [, fence of the run that was met]]
local lock = redis.call('GET', KEYS[1])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local fence = now
local leaseEnd = now + ARGV[2]
local windowEnd = 0
local timeToLive = ARGV[3]
local waited = 0
local kept = ''
if ARGV[4] and ARGV[4] ~= '0' then
    windowEnd = now + ARGV[4]
end
if lock then
    local version, asked, lastLease, lastWindow, last = struct.unpack('>BBi8i8i8', lock)
    if version ~= 1 then
        return 'V'
    end
    local resultUntil = 0
    if #lock > 42 then
        kept = string.sub(lock, 43)
        resultUntil = struct.unpack('>i8', kept, 9)
    end
    if now < lastLease and string.sub(lock, 27, 42) == ARGV[1] then
        redis.call('SET', KEYS[1],
            struct.pack('>BBi8', 1, asked, leaseEnd) .. string.sub(lock, 11),
            'PX', math.ceil((math.max(now, leaseEnd, lastWindow, resultUntil, last + @margin@) - now) / 1000) + 1)
        return 'G' .. string.sub(lock, 19, 26)
    end
    local heldUntil = math.max(lastLease, lastWindow)
    if ARGV[6] then
        local since = tonumber(ARGV[6])
        if now < heldUntil and lastLease == 0 then
            since = last
        end
        if since ~= 0 and now < resultUntil and struct.unpack('>i8', kept) >= since then
            local result = redis.call('GET', KEYS[2])
            if result and string.sub(result, 1, 8) == string.sub(kept, 1, 8) then
                return 'R' .. string.sub(result, 9)
            end
        end
    end
    if now < heldUntil then
        if ARGV[5] == '1' and asked == 0 then
            redis.call('SETRANGE', KEYS[1], 1, '\1')
        end
        return 'H' .. struct.pack('>i8', heldUntil - now) .. string.sub(lock, 19, 26)
            .. (lastLease == 0 and '\1' or '\0')
    end
    waited = asked
    fence = math.max(last + 1, now)
    if fence > now or resultUntil > now then
        -- the clock has stepped back, or a result is kept
        timeToLive = math.ceil((math.max(leaseEnd, windowEnd, resultUntil, fence + @margin@) - now) / 1000) + 1
    end
end
local value = struct.pack('>BBi8i8i8c16', 1, waited, leaseEnd, windowEnd, fence, ARGV[1]) .. kept
redis.call('SET', KEYS[1], value, 'PX', timeToLive)
return 'G' .. string.sub(value, 19, 26)
