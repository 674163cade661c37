-- RecordMachine.forget
-- KEYS: record, result
local record = redis.call('GET', KEYS[1])
if not record then
    return 'A'
end
local version, state, leaseEnd, _, fence = struct.unpack('>BBi8i8i8', record)
if version ~= 1 then
    return 'V'
end
if state == 0 then
    return 'A'
end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
if now < leaseEnd then
    return 'H'
end
local place, _, retention, operationSize, fingerprintSize = struct.unpack('>BI4i8HH', record, 51)
local operation = 68 + fingerprintSize
redis.call('SET', KEYS[1],
    struct.pack('>BBi8i8', 1, 0, 0, now) .. string.sub(record, 19, 42)
        .. struct.pack('>i8BI4i8HH', 0, 0, 0, retention, operationSize, 0)
        .. string.sub(record, operation, operation + operationSize - 1),
    'PX', math.ceil((math.max(now, fence + @margin@) - now) / 1000) + 1)
if place == 2 then
    redis.call('DEL', KEYS[2])
end
return 'F'
