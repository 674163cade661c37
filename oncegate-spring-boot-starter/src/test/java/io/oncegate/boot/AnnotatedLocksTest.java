package io.oncegate.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.oncegate.core.error.InProgressException;
import io.oncegate.core.key.Scope;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.spi.RecordStore;
import io.oncegate.spring.lock.EnableLocks;
import io.oncegate.spring.lock.Locked;
import io.oncegate.spring.lock.LockedMethods;
import io.oncegate.spring.lock.OncePerWindow;
import io.oncegate.spring.mvc.ScopeResolver;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;

/** {@code @Locked} and {@code @OncePerWindow} in an application of Spring Boot, where nothing else is set up. */
class AnnotatedLocksTest {
    private static final AutoConfigurations CONFIGURATIONS = AutoConfigurations.of(
            OncegateAutoConfiguration.class, LockAutoConfiguration.class, AnnotationAutoConfiguration.class);

    private final ApplicationContextRunner application =
            new ApplicationContextRunner().withConfiguration(CONFIGURATIONS).withBean(Kiosk.class);

    static class Kiosk {
        private final AtomicInteger sold = new AtomicInteger();

        @OncePerWindow(operation = "kiosk.sell", scope = Locked.GLOBAL, key = "#seat", window = "1h")
        public int sell(String seat) {
            return sold.incrementAndGet();
        }
    }

    @RestController
    static class Window {
        private final AtomicInteger opened = new AtomicInteger();

        @OncePerWindow(operation = "window.open", key = "#number", window = "${opened.for}")
        @PostMapping("/windows/{number}")
        public String open(@PathVariable String number) {
            return "opened " + opened.incrementAndGet();
        }
    }

    @Test
    void annotatedMethodsAreProtectedOnceThereIsAStore() {
        application.withPropertyValues("oncegate.store=memory").run(context -> {
            Kiosk kiosk = context.getBean(Kiosk.class);
            assertThat(kiosk.sell("a")).isEqualTo(1);
            assertThatThrownBy(() -> kiosk.sell("a")).isInstanceOf(InProgressException.class);
            assertThat(kiosk.sell("b")).isEqualTo(2);
        });
    }

    @Test
    void withoutAStoreAnAnnotatedMethodStopsTheStart() {
        application
                .withBean(RecordStore.class, MemoryRecordStore::new)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(MissingStoreException.class)
                        .hasMessageContaining("no store for its locks")
                        .hasMessageContaining("oncegate.locks.store=memory"));
    }

    @Test
    void thereMayBeNoneWhereNoMethodIsAnnotated() {
        new ApplicationContextRunner()
                .withConfiguration(CONFIGURATIONS)
                .withBean(RecordStore.class, MemoryRecordStore::new)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableLocks(order = 500)
    static class Ordered {}

    @Test
    void theApplicationsOwnOrderComesFirst() {
        application
                .withPropertyValues("oncegate.store=memory")
                .withUserConfiguration(Ordered.class)
                .run(context -> assertThat(context.getBean(LockedMethods.class).getOrder())
                        .isEqualTo(500));
    }

    @Test
    void annotationsCanBeSwitchedOff() {
        application
                .withPropertyValues("oncegate.store=memory", "oncegate.annotations.enabled=false")
                .run(context -> {
                    Kiosk kiosk = context.getBean(Kiosk.class);
                    assertThat(kiosk.sell("a") + kiosk.sell("a")).isEqualTo(3);
                });
    }

    @Test
    void theCallerIsThatOfTheRequestAndARefusalIsAProblem() {
        new WebApplicationContextRunner()
                .withConfiguration(CONFIGURATIONS)
                .withConfiguration(AutoConfigurations.of(
                        WebMvcAutoConfiguration.class, HttpMessageConvertersAutoConfiguration.class))
                .withBean(Window.class)
                .withBean(ScopeResolver.class, () -> request -> Scope.of(request.getHeader("X-User")))
                .withPropertyValues("oncegate.store=memory", "opened.for=90s")
                .run(context -> {
                    MockMvc mvc = MockMvcBuilders.webAppContextSetup(
                                    (WebApplicationContext) context.getSourceApplicationContext())
                            .build();
                    mvc.perform(post("/windows/1").header("X-User", "ann")).andExpect(status().isOk());
                    mvc.perform(post("/windows/1").header("X-User", "ann"))
                            .andExpect(status().isConflict())
                            .andExpect(header().exists("Retry-After"))
                            .andExpect(content().contentType("application/problem+json"));
                    mvc.perform(post("/windows/1").header("X-User", "bob")).andExpect(status().isOk());
                    mvc.perform(post("/windows/2").header("X-User", "ann")).andExpect(status().isOk());
                });
    }
}
