-- RecordMachine.claim
-- KEYS: record, result
-- ARGV: attempt to operation size, fingerprint size and fingerprint, operation, lease, lease + retention,
--       time to live in ms, most asks [, born at, limit, tolerance]
local record = redis.call('GET', KEYS[1])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local fence = now
local answer = 'G'
local inquired = ''
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
                    return record .. struct.pack('>i8', now)
                end
                local beside = redis.call('GET', KEYS[2])
                if beside and string.sub(beside, 1, 24) == string.sub(record, 19, 42) then
                    return record .. string.sub(beside, 25) .. struct.pack('>i8', now)
                end
            end
            return 'N' .. string.char(state, own and 1 or 0) .. struct.pack('>i8', expiresAt - now)
        end
        if now < leaseEnd then
            if not own then
                return 'H' .. struct.pack('>i8', leaseEnd - now)
            elseif state == 1 then
                return 'G' .. string.sub(record, 19, 26)
            end
        end
        -- the inquiry: when the key was first claimed, and how often a reconciler has been let in
        local resultUntil, place, _, _, operationSize, fingerprintSize = struct.unpack('>i8BI4i8HH', record, 43)
        local inquiryAt = 68 + operationSize + fingerprintSize
        local first, asked = last, 0
        if place == 1 then
            local inquiry
            inquiry, first, asked = struct.unpack('>Bi8I4', record, inquiryAt)
            if inquiry ~= 1 then
                return 'V'
            end
        end
        if now < leaseEnd then
            return 'C' .. string.sub(record, 19, 26) .. struct.pack('>I4i8', asked, math.max(0, now - first))
        end
        local most = tonumber(ARGV[7])
        if state == 4 then
            local pause = math.max(0, resultUntil - now)
            if pause > 0 or asked >= most then
                return 'U' .. struct.pack('>i8', (asked < most or most == 0) and pause or 0)
            end
        end
        fence = math.max(last + 1, now)
        if most > 0 then
            -- 2^53 is never
            expiresAt = 9007199254740992
            redis.call('SET', KEYS[1],
                struct.pack('>BBi8i8i8', 1, 4, now + ARGV[4], expiresAt, fence)
                    .. string.sub(ARGV[1], 1, 16) .. struct.pack('>i8BI4', 0, 1, 13)
                    .. string.sub(record, 56, inquiryAt - 1) .. struct.pack('>Bi8I4', 1, first, asked + 1),
                'PX', math.ceil((expiresAt - now) / 1000))
            return 'C' .. struct.pack('>i8I4i8', fence, asked + 1, math.max(0, now - first))
        end
        answer = 'T'
        inquired = struct.pack('>Bi8I4', 1, first, asked)
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
local claimed = ARGV[1]
if answer == 'T' then
    claimed = string.sub(claimed, 1, 24) .. struct.pack('>BI4', 1, 13) .. string.sub(claimed, 30)
end
redis.call('SET', KEYS[1],
    struct.pack('>BBi8i8', 1, 1, now + ARGV[4], expiresAt) .. number .. claimed .. ARGV[2] .. ARGV[3] .. inquired,
    'PX', timeToLive)
return answer .. number
