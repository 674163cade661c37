package io.oncegate.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.oncegate.core.lock.LeasedLocks;
import io.oncegate.core.lock.Locks;
import io.oncegate.core.memory.MemoryLockStore;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Map;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.env.MapPropertySource;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** What is annotated is locked, or the start says why not and what to do. */
class LockStartUpTest {
    static class SelfCall {
        @Locked(operation = "trap.self", key = "#id")
        public String act(String id) {
            return id;
        }

        public String outer(String id) {
            return act(id);
        }
    }

    static class Hidden {
        @Locked(operation = "trap.private", key = "#id")
        private String hidden(String id) {
            return id;
        }

        public String open(String id) {
            return new Hidden().hidden(id);
        }

        @OncePerWindow(operation = "trap.final", key = "#id", window = "5s")
        public final String fixed(String id) {
            return id;
        }
    }

    static class Wrong {
        @Locked(operation = "wrong.key")
        public void noKey(String id) {}

        @Locked(key = "#id")
        public void noName(String id) {}

        @Locked(operation = "wrong.variable", key = "#idd")
        public void variable(String id) {}

        @Locked(operation = "wrong.lease", key = "#id", lease = "soon")
        public void lease(String id) {}

        @Locked(operation = "wrong.zero", key = "#id", lease = "0s")
        public void zero(String id) {}

        @OncePerWindow(operation = "wrong.window", key = "#id")
        public void noWindow(String id) {}

        @OncePerWindow(operation = "wrong.long", key = "#id", window = "400d")
        public void longWindow(String id) {}

        @Locked(operation = "wrong.wait", key = "#id", whenHeld = WhenHeld.WAIT)
        public void noWait(String id) {}

        @Locked(operation = "wrong.waits", key = "#id", waitUpTo = "5s")
        public void waits(String id) {}

        @Locked(operation = "wrong.locks", key = "#id", locks = "elsewhere")
        public void locks(String id) {}

        @Locked(operation = "wrong.result", key = "#id", whenHeld = WhenHeld.RESULT, waitUpTo = "5s")
        public Object result(String id) {
            return id;
        }

        @Locked(operation = "wrong.future", key = "#id")
        public Future<String> future(String id) {
            return null;
        }

        @Locked(operation = "wrong.async", key = "#id")
        @Async
        public void async(String id) {}

        @Locked(operation = "wrong.both", key = "#id")
        @OncePerWindow(operation = "wrong.both", key = "#id", window = "5s")
        public void both(String id) {}
    }

    static class Disagreeing {
        @Locked(operation = "trap.kind", key = "#id")
        public void hold(String id) {}

        @OncePerWindow(operation = "trap.kind", key = "#id", window = "5s", whenHeld = WhenHeld.RESULT)
        public void window(String id) {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Locked(operation = "fine.account", scope = Locked.GLOBAL)
    @interface AccountLock {
        @AliasFor(annotation = Locked.class, attribute = "key")
        String account();
    }

    static class Fine {
        @AccountLock(account = "#id")
        public String one(String id) {
            return id + CurrentLock.fence();
        }

        @Locked(operation = "fine.account", key = "#id", lease = "${lease}", locks = "locks")
        public String other(String id) {
            return id;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 5)
    static class TransactionOutside {
        @Bean
        PlatformTransactionManager manager() {
            return new org.springframework.transaction.support.AbstractPlatformTransactionManager() {
                private static final long serialVersionUID = 1L;

                @Override
                protected Object doGetTransaction() {
                    return new Object();
                }

                @Override
                protected void doBegin(
                        Object transaction, org.springframework.transaction.TransactionDefinition definition) {}

                @Override
                protected void doCommit(org.springframework.transaction.support.DefaultTransactionStatus status) {}

                @Override
                protected void doRollback(org.springframework.transaction.support.DefaultTransactionStatus status) {}
            };
        }

        @Bean
        Transacting transacting() {
            return new Transacting();
        }
    }

    static class Transacting {
        @Locked(operation = "trap.order", key = "#id")
        @Transactional
        public void act(String id) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class MoreLocks {
        @Bean
        Locks others() {
            return LeasedLocks.of(new MemoryLockStore());
        }
    }

    private static AnnotationConfigApplicationContext context(Map<String, Object> properties, Class<?>... beans) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", properties));
        context.register(LockSetup.Memory.class);
        context.register(beans);
        context.refresh();
        return context;
    }

    private static String report(Class<?>... beans) {
        try (AnnotationConfigApplicationContext context = context(Map.of("lease", "10s"), beans)) {
            return "";
        } catch (IllegalStateException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    @DisplayName("C91: calls past the proxy, and methods that no proxy sees, are reported in one list")
    void whatNoProxySees() {
        assertThat(report(SelfCall.class, Hidden.class))
                .contains("SelfCall.act(String): is called by LockStartUpTest.SelfCall.outer on the same object")
                .contains("Hidden.hidden(String): is private")
                .contains("Hidden.fixed(String): is final")
                .contains("Locks.acquire");
    }

    @Test
    void wrongAttributesAreReportedTogether() {
        assertThat(report(Wrong.class))
                .contains("Wrong.noKey(String): has no key expression")
                .contains("Wrong.noName(String): has no operation name")
                .contains("Wrong.variable(String): the key expression [#idd] names #idd")
                .contains("Wrong.lease(String): lease [soon] is no duration")
                .contains("Wrong.zero(String): the lease of a lock is 1 ms to")
                .contains("Wrong.noWindow(String): has no window")
                .contains("Wrong.longWindow(String): the window of a lock is 1 ms to")
                .contains("Wrong.noWait(String): has whenHeld = WAIT but no waitUpTo")
                .contains("Wrong.waits(String): has a waitUpTo but refuses at once")
                .contains("Wrong.locks(String): locks [elsewhere] is no bean")
                .contains("Wrong.result(String): whenHeld = RESULT: codec json1 cannot store java.lang.Object")
                .contains("Wrong.future(String): returns java.util.concurrent.Future")
                .contains("Wrong.async(String): is @Async, but is not run asynchronously")
                .contains("Wrong.both(String): is @Locked and @OncePerWindow");
    }

    @Test
    void methodsThatShareALockHaveToAgreeOnWhatItIs() {
        assertThat(report(Disagreeing.class))
                .contains("operation trap.kind is a window here and a hold until done there")
                .contains("operation trap.kind gives results, but names several methods");
    }

    @Test
    @DisplayName("C07: a lock inside of its own transaction is reported")
    void theTransactionHasToBeInside() {
        assertThat(report(TransactionOutside.class)).contains("Transacting.act(String): is advised inside its");
    }

    @Test
    void withSeveralLocksOneIsNamed() {
        assertThat(report(Fine.class, MoreLocks.class))
                .contains("Fine.one(String): has no locks: there are several Locks beans")
                .doesNotContain("Fine.other");
    }

    @Test
    void aComposedAnnotationAndPlaceholdersAreRead() {
        try (AnnotationConfigApplicationContext context = context(Map.of("lease", "10s"), Fine.class)) {
            Fine fine = context.getBean(Fine.class);
            assertThat(fine.one("a")).startsWith("a1");
            assertThat(fine.other("a")).isEqualTo("a");
        }
    }

    @Test
    void whatIsWrongIsNeverRunAlsoWhereTheStartIsLenient() {
        try (AnnotationConfigApplicationContext context =
                context(Map.of("oncegate.annotations.strict", "false"), Wrong.class)) {
            Wrong wrong = context.getBean(Wrong.class);
            assertThatIllegalStateException()
                    .isThrownBy(() -> wrong.noKey("a"))
                    .withMessageContaining("cannot be called");
        }
    }
}
