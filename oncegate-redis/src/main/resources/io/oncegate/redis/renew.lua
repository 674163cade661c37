-- RecordMachine.renew
-- KEYS: record   ARGV: fence and attempt, lease
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
if state ~= 1 and (state ~= 4 or leaseEnd == 0) then
    return 'S'
end
leaseEnd = now + ARGV[2]
if state == 1 then
    expiresAt = leaseEnd + struct.unpack('>i8', record, 56)
end
redis.call('SET', KEYS[1],
    struct.pack('>BBi8i8', 1, state, leaseEnd, expiresAt) .. string.sub(record, 19),
    'PX', math.ceil((math.max(expiresAt, fence + @margin@) - now) / 1000) + 1)
return 'D'
