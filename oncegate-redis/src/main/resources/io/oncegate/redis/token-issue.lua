-- TokenStore.issue
-- KEYS: unused, used   ARGV: token, time in microseconds, cap, 1 to refuse at the cap
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
local over = redis.call('ZCARD', KEYS[1]) - ARGV[3] + 1
if over > 0 then
    if ARGV[4] == '1' then
        return 'F'
    end
    redis.call('ZPOPMIN', KEYS[1], over)
end
local expiresAt = now + ARGV[2]
redis.call('ZADD', KEYS[1], expiresAt, ARGV[1])
local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
redis.call('PEXPIRE', KEYS[1], math.ceil((last - now) / 1000) + 1)
return 'K' .. struct.pack('>i8', expiresAt)
