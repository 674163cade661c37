-- What operators see: whether the result is still there, then the record without fingerprint and result; behind it the
-- inquiry, where there is one
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
local operation = 67 + fingerprintSize
local state = string.byte(head, 2)
if state == 1 or state == 4 then
    return '\0' .. head .. redis.call('GETRANGE', KEYS[1], operation, -1)
end
if place ~= 0 and time[1] * 1000000 + time[2] >= resultUntil then
    place = 0
end
if place == 2 and redis.call('EXISTS', KEYS[2]) == 0 then
    place = 0
end
return string.char(place) .. head .. redis.call('GETRANGE', KEYS[1], operation, operation + operationSize - 1)
