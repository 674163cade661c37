package io.oncegate.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.lettuce.core.RedisClient;
import io.oncegate.core.Oncegate;
import io.oncegate.core.error.ResultUnavailableException;
import io.oncegate.jackson.JacksonCodec;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisOptions;
import io.oncegate.redis.RedisRecordStore;
import io.oncegate.testsupport.RedisServers;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Results in Redis come back in another context as they were, also to a later version of the code. */
class StoredResultsIT {
    enum Kind {
        SEATED,
        STANDING
    }

    record Order(LocalDateTime at, Instant instant, BigDecimal price, Kind kind, Optional<String> note, byte[] code) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Order o
                    && at.equals(o.at)
                    && instant.equals(o.instant)
                    && price.equals(o.price)
                    && kind == o.kind
                    && note.equals(o.note)
                    && Arrays.equals(code, o.code);
        }

        @Override
        public int hashCode() {
            return at.hashCode();
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Card.class, name = "card"),
        @JsonSubTypes.Type(value = Cash.class, name = "cash")
    })
    sealed interface Payment permits Card, Cash {}

    record Card(String last) implements Payment {}

    record Cash(int coins) implements Payment {}

    record Page<T>(List<T> content, long total) {}

    static class Service {
        static final AtomicInteger RUNS = new AtomicInteger();
        static final Order ORDER = new Order(
                LocalDateTime.parse("2026-11-29T10:00:00.123456789"),
                Instant.parse("2026-11-29T10:00:00.000000001Z"),
                new BigDecimal("1.10"),
                Kind.STANDING,
                Optional.of("x"),
                new byte[] {0, -1});

        private static <T> T ran(T value) {
            RUNS.incrementAndGet();
            return value;
        }

        @Idempotent(operation = "stored.list", key = "#id")
        public List<Order> list(String id) {
            return ran(List.of(ORDER, ORDER));
        }

        @Idempotent(operation = "stored.map", key = "#id")
        public Map<Long, BigDecimal> map(String id) {
            return ran(Map.of(5_000_000_000L, new BigDecimal("1.10")));
        }

        @Idempotent(operation = "stored.sealed", key = "#id")
        public Payment sealed(String id) {
            return ran(new Card("1234"));
        }

        @Idempotent(operation = "stored.page", key = "#id")
        public Page<Order> page(String id) {
            return ran(new Page<>(List.of(ORDER), 7));
        }

        @Idempotent(operation = "stored.changed", key = "#id")
        public Card changed(String id) {
            return ran(new Card("1234"));
        }

        @Idempotent(operation = "stored.broken", key = "#id")
        public Card broken(String id) {
            return ran(new Card("1234"));
        }

        @Idempotent(operation = "stored.storm", key = "#id", waitUpTo = "2m", fingerprint = Idempotent.KEY_ALONE)
        public int storm(String id, int copy) {
            return ran(copy);
        }
    }

    /** A later version: one class renamed, with a field less and one more; one result of another form. */
    record Renamed(String first, Integer more) {}

    static class Later {
        @Idempotent(operation = "stored.changed", key = "#id")
        public Renamed changed(String id) {
            return Service.ran(new Renamed("", 0));
        }

        @Idempotent(operation = "stored.broken", key = "#id")
        public List<Integer> broken(String id) {
            return Service.ran(List.of());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableIdempotent
    static class Context {
        @Bean
        Oncegates oncegates() {
            return Oncegates.claimed(Oncegate.claimed(new RedisRecordStore(redis))
                    .codec(new JacksonCodec())
                    .build());
        }

        @Bean
        CallerScope callerScope() {
            return () -> io.oncegate.core.key.Scope.of("alice");
        }
    }

    private static RedisClient client;
    private static RedisBackend redis;

    @BeforeAll
    static void start() {
        client = RedisClient.create();
        redis = RedisBackend.connecting(
                client, RedisServers.standalone().uri(), RedisOptions.defaults().withTimeout(Duration.ofSeconds(10)));
    }

    @AfterAll
    static void stop() {
        redis.close();
        client.shutdown(0, 0, TimeUnit.SECONDS);
    }

    private static AnnotationConfigApplicationContext context(Class<?> bean) {
        return new AnnotationConfigApplicationContext(Context.class, bean);
    }

    @Test
    @DisplayName("C95: results come back equal in another context, and unreadable ones are never run again")
    void resultsComeBackInAnotherContext() {
        String id = UUID.randomUUID().toString();
        List<Object> first;
        try (AnnotationConfigApplicationContext context = context(Service.class)) {
            Service service = context.getBean(Service.class);
            first = List.of(service.list(id), service.map(id), service.sealed(id), service.page(id));
            service.changed(id);
            service.broken(id);
        }
        int runs = Service.RUNS.get();
        try (AnnotationConfigApplicationContext context = context(Service.class)) {
            Service service = context.getBean(Service.class);
            List<Object> second = List.of(service.list(id), service.map(id), service.sealed(id), service.page(id));
            assertThat(second).isEqualTo(first);
            assertThat(service.list(id).get(0).price()).isEqualTo(new BigDecimal("1.10"));
        }
        try (AnnotationConfigApplicationContext context = context(Later.class)) {
            Later later = context.getBean(Later.class);
            assertThat(later.changed(id)).isEqualTo(new Renamed(null, null));
            assertThatThrownBy(() -> later.broken(id)).isInstanceOf(ResultUnavailableException.class);
        }
        assertThat(Service.RUNS).hasValue(runs);
    }

    @Test
    @DisplayName("C12(b): many virtual threads, where the platform has them, run one key once")
    void manyThreadsRunOneKeyOnce() throws Exception {
        String id = UUID.randomUUID().toString();
        try (AnnotationConfigApplicationContext context = context(Service.class)) {
            Service service = context.getBean(Service.class);
            int before = Service.RUNS.get();
            ExecutorService threads = threads();
            try {
                List<Future<Integer>> all = new java.util.ArrayList<>();
                for (int i = 0; i < 200; i++) {
                    int copy = i;
                    all.add(threads.submit(() -> service.storm(id, copy)));
                }
                int answer = all.get(0).get(2, TimeUnit.MINUTES);
                for (Future<Integer> each : all) {
                    assertThat(each.get(2, TimeUnit.MINUTES)).isEqualTo(answer);
                }
            } finally {
                threads.shutdownNow();
            }
            assertThat(Service.RUNS).hasValue(before + 1);
        }
    }

    private static ExecutorService threads() throws Exception {
        try {
            Method virtual = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
            return (ExecutorService) virtual.invoke(null);
        } catch (NoSuchMethodException e) {
            return Executors.newFixedThreadPool(20);
        }
    }
}
