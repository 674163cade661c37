package io.oncegate.spring.annotation;

import io.oncegate.core.Oncegate;
import io.oncegate.core.key.Scope;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.jackson.JacksonCodec;
import java.util.Map;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;

/** Contexts over a memory store, with alice as the caller. */
final class Setup {
    private Setup() {}

    @Configuration(proxyBeanMethods = false)
    @EnableIdempotent
    static class Memory {
        @Bean
        MemoryRecordStore store() {
            return new MemoryRecordStore();
        }

        @Bean
        Oncegates oncegates(MemoryRecordStore store) {
            return Oncegates.claimed(
                    Oncegate.claimed(store).codec(new JacksonCodec()).build());
        }

        @Bean
        CallerScope callerScope() {
            return () -> Scope.of("alice");
        }
    }

    static AnnotationConfigApplicationContext memory(Class<?>... more) {
        return memory(Map.of(), more);
    }

    static AnnotationConfigApplicationContext memory(Map<String, Object> properties, Class<?>... more) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", properties));
        context.register(Memory.class);
        context.register(more);
        context.refresh();
        return context;
    }
}
