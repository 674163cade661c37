-- TokenStore.giveBack
-- KEYS: unused, used   ARGV: token, attempt
local expiresAt = redis.call('ZSCORE', KEYS[2], ARGV[1] .. ARGV[2])
if not expiresAt then
    return 'N'
end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
redis.call('ZREM', KEYS[2], ARGV[1] .. ARGV[2])
if tonumber(expiresAt) <= now then
    return 'N'
end
redis.call('ZADD', KEYS[1], expiresAt, ARGV[1])
local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
redis.call('PEXPIRE', KEYS[1], math.ceil((last - now) / 1000) + 1)
return 'Y'
