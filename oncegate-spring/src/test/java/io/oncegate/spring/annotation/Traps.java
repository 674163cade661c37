package io.oncegate.spring.annotation;

import io.oncegate.core.Oncegate;
import io.oncegate.core.memory.MemoryRecordStore;
import java.io.InputStream;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.PriorityOrdered;
import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Controller;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.service.annotation.PostExchange;

/** Beans that look protected and are not. */
final class Traps {
    private Traps() {}

    static class Good {
        @Idempotent(operation = "trap.good", key = "#id")
        public String act(String id) {
            return id;
        }
    }

    static class SelfCall {
        @Idempotent(operation = "trap.self", key = "#id")
        public String act(String id) {
            return id;
        }

        public String outer(boolean now, String id) {
            return this.act(now ? id : id + "x");
        }
    }

    static class LambdaCall {
        @Idempotent(operation = "trap.lambda", key = "#id")
        public String act(String id) {
            return id;
        }

        public Supplier<String> outer(String id) {
            return () -> act(id);
        }
    }

    static class ReferenceCall {
        @Idempotent(operation = "trap.reference", key = "#id")
        public String act(String id) {
            return id;
        }

        public Function<String, String> outer() {
            return this::act;
        }
    }

    static class InnerCall {
        @Idempotent(operation = "trap.inner", key = "#id")
        public String act(String id) {
            return id;
        }

        public Runnable outer(String id) {
            return new Runnable() {
                @Override
                public void run() {
                    act(id);
                }
            };
        }
    }

    static class LocalCall {
        @Idempotent(operation = "trap.local", key = "#id")
        public String act(String id) {
            return id;
        }

        public String outer(String id) {
            LocalCall me = this;
            long wide = id.length();
            return me.act(id + wide);
        }
    }

    abstract static class Base<T> {
        public abstract String act(T id);

        public String outer(T id) {
            return act(id);
        }
    }

    static class GenericCall extends Base<String> {
        @Override
        @Idempotent(operation = "trap.generic", key = "#id")
        public String act(String id) {
            return id;
        }
    }

    /** Calls itself the right way, and overrides. */
    static class NoSelfCall extends Good {
        private final NoSelfCall self;

        NoSelfCall(@Lazy NoSelfCall self) {
            this.self = self;
        }

        @Override
        public String act(String id) {
            return super.act(id);
        }

        public String outer(boolean now, String id) {
            return self.act(now ? id : id + "x") + new Good().act(id);
        }
    }

    @SuppressWarnings("UnusedMethod")
    static class PrivateMethod {
        @Idempotent(operation = "trap.private", key = "#id")
        private String act(String id) {
            return id;
        }

        public String outer() {
            return "";
        }
    }

    static class FinalMethod {
        @Idempotent(operation = "trap.final", key = "#id")
        public final String act(String id) {
            return id;
        }
    }

    static class StaticMethod {
        @Idempotent(operation = "trap.static", key = "#id")
        public static String act(String id) {
            return id;
        }
    }

    static final class FinalClass {
        @Idempotent(operation = "trap.final-class", key = "#id")
        public String act(String id) {
            return id;
        }
    }

    interface Acting {
        @Idempotent(operation = "trap.interface", key = "#id")
        String act(String id);
    }

    static class ByInterface implements Acting {
        @Override
        public String act(String id) {
            return id + System.nanoTime();
        }
    }

    static class NotInInterface implements Acting {
        @Override
        public String act(String id) {
            return id;
        }

        @Idempotent(operation = "trap.not-in-interface", key = "#id")
        public String other(String id) {
            return id;
        }
    }

    /** The bean that it needs is made before proxies are. */
    static class Early implements BeanPostProcessor, PriorityOrdered, BeanFactoryAware {
        @Override
        public void setBeanFactory(BeanFactory beans) {
            beans.getBean(Good.class).act("early");
        }

        @Override
        public int getOrder() {
            return 0;
        }
    }

    /** The bean that it needs is made early, but not too early. */
    static class NotTooEarly implements BeanPostProcessor {
        NotTooEarly(Good good) {
            good.act("early");
        }
    }

    static class LiteBean {
        @Idempotent(operation = "trap.lite", key = "#id")
        public String act(String id) {
            return id;
        }
    }

    static class LiteUser {
        final LiteBean bean;

        LiteUser(LiteBean bean) {
            this.bean = bean;
        }
    }

    @Component
    static class Lite {
        @Bean
        LiteBean liteBean() {
            return new LiteBean();
        }

        @Bean
        LiteUser liteUser() {
            return new LiteUser(liteBean());
        }
    }

    @Configuration
    static class Full {
        @Bean
        LiteBean liteBean() {
            return new LiteBean();
        }

        @Bean
        LiteUser liteUser() {
            return new LiteUser(liteBean());
        }
    }

    static class Product implements FactoryBean<ByInterface> {
        @Override
        public ByInterface getObject() {
            return new ByInterface();
        }

        @Override
        public Class<?> getObjectType() {
            return ByInterface.class;
        }
    }

    static class Duplicates {
        @Idempotent(operation = "trap.twice", key = "#id")
        public String one(String id) {
            return id;
        }

        @Idempotent(operation = "trap.twice", key = "#id")
        public String other(String id) {
            return id;
        }
    }

    /** Wrong in every attribute. */
    static class Wrong {
        @Idempotent(operation = "has space", key = "#id")
        public String name(String id) {
            return id;
        }

        @Idempotent(key = "#id")
        public String noName(String id) {
            return id;
        }

        @Idempotent(operation = "wrong.syntax", key = "#id +")
        public String syntax(String id) {
            return id;
        }

        @Idempotent(operation = "wrong.variable", key = "#idd")
        public String variable(String id) {
            return id;
        }

        @Idempotent(operation = "wrong.bare", key = "id")
        public String bare(String id) {
            return id;
        }

        @Idempotent(operation = "wrong.constant", key = "'all'")
        public String constant(String id) {
            return id;
        }

        @Idempotent(operation = "wrong.lease", key = "#id", lease = "soon")
        public String lease(String id) {
            return id;
        }

        @Idempotent(operation = "wrong.placeholder", key = "#id", retention = "${no.such.property}")
        public String placeholder(String id) {
            return id;
        }

        @Idempotent(operation = "wrong.retention", key = "#id", retention = "1h", resultRetention = "2h")
        public String retention(String id) {
            return id;
        }

        @Idempotent(operation = "wrong.mode", key = "#id", mode = Idempotent.Mode.SAME_TRANSACTION)
        public String mode(String id) {
            return id;
        }

        @Idempotent(operation = "wrong.type", key = "#id")
        public Object type(String id) {
            return id;
        }

        @Idempotent(operation = "wrong.stream", key = "#id")
        public InputStream stream(String id) {
            return InputStream.nullInputStream();
        }

        @Idempotent(operation = "wrong.future", key = "#id")
        public Future<String> future(String id) {
            return null;
        }

        @Idempotent(operation = "wrong.argument", key = "#id")
        public String argument(String id, InputStream stream) {
            return id;
        }

        @Idempotent(operation = "wrong.async", key = "#id")
        @Async
        public void async(String id) {}

        @Idempotent("wrong.keyless")
        public String keyless(String id) {
            return id;
        }

        @Idempotent(operation = "wrong.refusal", key = "#id", refusals = NoForm.class)
        public String refusal(String id) {
            return id;
        }
    }

    static final class NoForm extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NoForm(int code) {
            super("code " + code);
        }
    }

    @Controller
    static class Handler {
        @Idempotent("trap.handler")
        @PostMapping("/act")
        public String act(String id) {
            return id;
        }
    }

    @Controller
    static class ExchangeHandler {
        @Idempotent("trap.exchange")
        @PostExchange("/act")
        public String act(String id) {
            return id;
        }
    }

    static class LeavesTransaction {
        @Idempotent(operation = "trap.leaves", key = "#id", mode = Idempotent.Mode.SAME_TRANSACTION)
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public String act(String id) {
            return id;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableIdempotent
    static class NoScope {
        @Bean
        Oncegates oncegates() {
            return Oncegates.claimed(Oncegate.claimed(new MemoryRecordStore()).build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableIdempotent
    static class NoEngine {}
}
