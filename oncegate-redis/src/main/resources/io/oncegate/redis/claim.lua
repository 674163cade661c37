-- RecordMachine.claim
-- KEYS: record, result
-- ARGV: attempt to operation size, fingerprint size and fingerprint, operation, lease, lease + retention,
--       time to live in ms, reconciles [, born at, limit, tolerance]
local record = redis.call('GET', KEYS[1])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local fence = now
local answer = 'G'
if record then
    local version, state, leaseEnd, expiresAt, last = struct.unpack('>BBi8i8i8', record)
    if version ~= 1 then
        return 'V'
    end
    if state ~= 0 and now < expiresAt then
        if string.sub(record, 66, 65 + #ARGV[2]) ~= ARGV[2] then
            return 'M' .. string.sub(record, 68, 67 + struct.unpack('>H', record, 66))
        end
        local own = string.sub(record, 27, 42) == string.sub(ARGV[1], 1, 16)
        if state == 2 or state == 3 then
            local resultUntil, place = struct.unpack('>i8B', record, 43)
            if now < resultUntil then
                if place == 1 then
                    return record
                end
                local beside = redis.call('GET', KEYS[2])
                if beside and string.sub(beside, 1, 24) == string.sub(record, 19, 42) then
                    return record .. string.sub(beside, 25)
                end
            end
            return 'N' .. string.char(state, own and 1 or 0)
        end
        if now < leaseEnd then
            if not own then
                return 'H' .. struct.pack('>i8', leaseEnd - now)
            end
            return (state == 4 and 'C' or 'G') .. string.sub(record, 19, 26)
        end
        if state == 4 then
            if ARGV[7] ~= '1' then
                return 'U'
            end
            fence = math.max(last + 1, now)
            redis.call('SET', KEYS[1],
                struct.pack('>BBi8i8i8', 1, 4, now + ARGV[4], expiresAt, fence)
                    .. string.sub(ARGV[1], 1, 16) .. string.sub(record, 43),
                'PX', math.ceil((expiresAt - now) / 1000) + 1)
            return 'C' .. struct.pack('>i8', fence)
        end
        answer = 'T'
    end
    fence = math.max(last + 1, now)
end
if ARGV[8] and answer == 'G' then
    local age = now - ARGV[8]
    if age >= tonumber(ARGV[9]) then
        return 'O\0'
    end
    if -age > tonumber(ARGV[10]) then
        return 'O\1'
    end
end
local expiresAt = now + ARGV[5]
local timeToLive = ARGV[6]
if fence > now then
    -- the clock has stepped back
    timeToLive = math.ceil((math.max(expiresAt, fence + @margin@) - now) / 1000) + 1
end
local number = struct.pack('>i8', fence)
redis.call('SET', KEYS[1],
    struct.pack('>BBi8i8', 1, 1, now + ARGV[4], expiresAt) .. number .. ARGV[1] .. ARGV[2] .. ARGV[3],
    'PX', timeToLive)
return answer .. number
