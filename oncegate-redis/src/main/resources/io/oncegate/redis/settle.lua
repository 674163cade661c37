-- RecordMachine.settle
-- KEYS: record, result
-- ARGV: fence and attempt, version to lease end, place to retention, retention, time to live in ms
--       [, result, result retention]   or, of an unknown outcome, nothing, how long nobody is let in to find out
-- A result that goes before its record does stands under the second key, behind the claim's fence and attempt.
local record = redis.call('GET', KEYS[1])
if not record then
    return 'L'
end
local version, state, leaseEnd, expiresAt, fence = struct.unpack('>BBi8i8i8', record)
if version ~= 1 then
    return 'V'
end
if string.sub(record, 19, 42) ~= ARGV[1] then
    return 'L'
end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
if state == 0 or now >= expiresAt then
    return 'L'
end
local outcome = string.byte(ARGV[2], 2)
local result = ARGV[6]
if state ~= 1 and (state ~= 4 or leaseEnd == 0) then
    if state ~= outcome then
        return 'S'
    end
    if state == 4 then
        return 'D'
    end
    local resultUntil, place, _, _, operationSize, fingerprintSize = struct.unpack('>i8BI4i8HH', record, 43)
    if now < resultUntil then
        local kept
        if place == 1 then
            kept = string.sub(record, 68 + operationSize + fingerprintSize)
        else
            local beside = redis.call('GET', KEYS[2])
            if not beside or string.sub(beside, 1, 24) ~= ARGV[1] then
                return 'D'
            end
            kept = string.sub(beside, 25)
        end
        if kept ~= result then
            return 'S'
        end
    end
    return 'D'
end
if outcome == 4 then
    -- 2^53 is never; the inquiry stays
    expiresAt = 9007199254740992
    local pause = tonumber(ARGV[7])
    redis.call('SET', KEYS[1],
        ARGV[2] .. struct.pack('>i8', expiresAt) .. ARGV[1] .. struct.pack('>i8', pause > 0 and now + pause or 0)
            .. string.sub(record, 51, 55) .. string.sub(ARGV[3], 6) .. string.sub(record, 64),
        'PX', math.ceil((expiresAt - now) / 1000))
    return 'D'
end
local timeToLive = ARGV[5]
expiresAt = now + ARGV[4]
if fence > now then
    -- the clock has stepped back
    timeToLive = math.ceil((math.max(expiresAt, fence + @margin@) - now) / 1000) + 1
end
local place = string.byte(ARGV[3])
local resultUntil = place == 0 and 0 or now + ARGV[7]
if place == 2 then
    redis.call('SET', KEYS[2], ARGV[1] .. result, 'PX', math.ceil(ARGV[7] / 1000))
end
local names = string.sub(record, 64)
if string.byte(record, 51) == 1 then
    local operationSize, fingerprintSize = struct.unpack('>HH', record, 64)
    names = string.sub(record, 64, 67 + operationSize + fingerprintSize)
end
redis.call('SET', KEYS[1],
    ARGV[2] .. struct.pack('>i8', expiresAt) .. ARGV[1] .. struct.pack('>i8', resultUntil) .. ARGV[3]
        .. names .. (place == 1 and result or ''),
    'PX', timeToLive)
return 'D'
