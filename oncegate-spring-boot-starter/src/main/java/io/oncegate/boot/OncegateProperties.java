package io.oncegate.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties under {@code oncegate}. What is not set has the default of the part that it belongs to.
 *
 * @param store where the records of claimed operations are kept
 * @param settleFor how long an outcome is sent again before the caller is told that it was not recorded
 * @param asyncThreads how many threads serve asynchronous calls
 * @param redis Redis
 * @param jdbc the application's database
 * @param sameTransaction operations whose record commits with their effect
 * @param ladder operations whose record commits with their effect, behind a fast store
 * @param purge the removal of old records
 * @param http the HTTP gate
 * @param tokens one-time tokens
 * @param locks locks, and the fences that go with them
 * @param states state machines
 * @param annotations methods with {@code @Idempotent}, {@code @Locked} and {@code @OncePerWindow}
 * @param client keys of outgoing requests
 */
@ConfigurationProperties("oncegate")
public record OncegateProperties(
        @DefaultValue("auto") StoreKind store,
        @Nullable Duration settleFor,
        @Nullable Integer asyncThreads,
        @NestedConfigurationProperty @DefaultValue RedisSettings redis,
        @NestedConfigurationProperty @DefaultValue JdbcSettings jdbc,
        @DefaultValue SameTransactionSettings sameTransaction,
        @NestedConfigurationProperty @DefaultValue LadderSettings ladder,
        @NestedConfigurationProperty @DefaultValue PurgeSettings purge,
        @NestedConfigurationProperty @DefaultValue HttpSettings http,
        @NestedConfigurationProperty @DefaultValue TokenSettings tokens,
        @NestedConfigurationProperty @DefaultValue LockSettings locks,
        @NestedConfigurationProperty @DefaultValue StateSettings states,
        @DefaultValue AnnotationSettings annotations,
        @NestedConfigurationProperty @DefaultValue ClientSettings client) {

    /**
     * The properties under {@code oncegate.same-transaction}.
     *
     * @param enabled whether there is a same-transaction engine, where there are a DataSource and a transaction manager
     */
    public record SameTransactionSettings(
            @DefaultValue("true") boolean enabled) {}

    /**
     * The properties under {@code oncegate.annotations}.
     *
     * @param enabled whether methods with {@code @Idempotent}, {@code @Locked} and {@code @OncePerWindow} are protected
     * @param strict whether the start is refused if an annotated method cannot be protected; otherwise it is logged
     */
    public record AnnotationSettings(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("true") boolean strict) {}
}
