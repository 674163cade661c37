package io.oncegate.shop.gate;

import io.lettuce.core.RedisURI;
import org.springframework.context.ApplicationContext;

/** Tells tests where a shop's Redis is. */
public final class RedisAccess {
    private RedisAccess() {}

    public static RedisURI uri(ApplicationContext shop) {
        return shop.getBean(RedisConfiguration.Server.class).uri();
    }
}
