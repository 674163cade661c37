package io.oncegate.spring.lock;

import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.Scope;
import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockEnd;
import io.oncegate.core.lock.LockEvent;
import io.oncegate.core.lock.LockListener;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.lock.Locks;
import io.oncegate.core.memory.MemoryLockStore;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.core.spi.HolderAnswer;
import io.oncegate.jackson.JacksonCodec;
import io.oncegate.spring.annotation.CallerScope;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Contexts over a memory store that can fail and forget, with alice as the caller. */
final class LockSetup {
    private LockSetup() {}

    /** A memory store that can be switched off, and that can lose what is held. */
    static final class Store implements LockStore {
        private final MemoryLockStore memory = new MemoryLockStore();
        /** The threads that asked, by operation. */
        final Map<String, Set<String>> askers = new ConcurrentHashMap<>();

        volatile boolean down;
        volatile boolean losing;

        @Override
        public String name() {
            return "memory";
        }

        private void requireUp() {
            if (down) {
                throw new StoreUnavailableException("memory", "switched off; switch it on", null);
            }
        }

        @Override
        public LockAnswer acquire(LockRequest request) {
            requireUp();
            askers.computeIfAbsent(request.operation(), unused -> ConcurrentHashMap.newKeySet())
                    .add(Thread.currentThread().getName());
            return memory.acquire(request);
        }

        @Override
        public HolderAnswer renew(ClaimRef held, Duration lease) {
            requireUp();
            return losing ? HolderAnswer.LOST : memory.renew(held, lease);
        }

        @Override
        public HolderAnswer end(ClaimRef held, LockEnd end) {
            requireUp();
            HolderAnswer answer = memory.end(held, end);
            return losing ? HolderAnswer.LOST : answer;
        }

        @Override
        public OptionalLong pass(ClaimRef held, LockRequest next) {
            requireUp();
            return losing ? OptionalLong.empty() : memory.pass(held, next);
        }

        @Override
        public Watch watch(io.oncegate.core.key.RecordId id, Runnable wake) {
            return memory.watch(id, wake);
        }
    }

    static final class Heard implements LockListener {
        final List<LockEvent> events = new CopyOnWriteArrayList<>();

        @Override
        public void on(LockEvent event) {
            events.add(event);
        }

        long count(LockEvent.Kind kind, String operation) {
            return events.stream()
                    .filter(event ->
                            event.kind() == kind && event.key().operation().equals(operation))
                    .count();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableLocks
    static class Memory {
        @Bean
        Store lockStore() {
            return new Store();
        }

        @Bean
        Heard heard() {
            return new Heard();
        }

        @Bean
        Locks locks(Store store, LockListener heard) {
            return LeasedLocks.builder(store).listener(heard).build();
        }

        @Bean
        JacksonCodec codec() {
            return new JacksonCodec();
        }

        @Bean
        CallerScope callerScope() {
            return () -> Scope.of("alice");
        }
    }

    static AnnotationConfigApplicationContext memory(Class<?>... more) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.register(Memory.class);
        context.register(more);
        context.refresh();
        return context;
    }
}
