-- What operators see: whether the result is still there, then the record without fingerprint and result
-- KEYS: record, result
local head = redis.call('GETRANGE', KEYS[1], 0, 66)
if head == '' then
    return 'A'
end
if string.byte(head) ~= 1 then
    return 'V'
end
local time = redis.call('TIME')
local resultUntil, place, _, _, operationSize, fingerprintSize = struct.unpack('>i8BI4i8HH', head, 43)
if place ~= 0 and time[1] * 1000000 + time[2] >= resultUntil then
    place = 0
end
if place == 2 and redis.call('EXISTS', KEYS[2]) == 0 then
    place = 0
end
local operation = 67 + fingerprintSize
return string.char(place) .. head .. redis.call('GETRANGE', KEYS[1], operation, operation + operationSize - 1)
