-- TokenStore.consume
-- KEYS: unused, used   ARGV: token, attempt, how many used ones are remembered
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local expiresAt = redis.call('ZSCORE', KEYS[1], ARGV[1])
if expiresAt then
    redis.call('ZREM', KEYS[1], ARGV[1])
    if tonumber(expiresAt) <= now then
        return 'N'
    end
    redis.call('ZADD', KEYS[2], expiresAt, ARGV[1] .. ARGV[2])
    local over = redis.call('ZCARD', KEYS[2]) - ARGV[3]
    if over > 0 then
        redis.call('ZPOPMIN', KEYS[2], over)
    end
    local last = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
    redis.call('PEXPIRE', KEYS[2], math.ceil((last - now) / 1000) + 1)
    return 'Y'
end
expiresAt = redis.call('ZSCORE', KEYS[2], ARGV[1] .. ARGV[2])
if expiresAt and tonumber(expiresAt) > now then
    return 'Y'
end
return 'N'
