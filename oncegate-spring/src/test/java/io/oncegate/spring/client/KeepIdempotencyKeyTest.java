package io.oncegate.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.BeanCreationException;

class KeepIdempotencyKeyTest {
    private final KeepIdempotencyKeyPostProcessor processor = new KeepIdempotencyKeyPostProcessor();

    static class Shop {
        final List<String> keys = new ArrayList<>();

        @KeepIdempotencyKey
        public String order() {
            try (CallKey key =
                    IdempotencyKeys.open(Attempt.current(), "POST", URI.create("http://shop/orders"), null)) {
                keys.add(key.value());
            }
            if (keys.size() % 3 != 0) {
                throw new IllegalStateException("not yet");
            }
            return "done";
        }

        public String other() {
            return String.valueOf(Attempt.current());
        }
    }

    /** A retry as Spring's are: each attempt is a copy of the invocation. */
    private static final MethodInterceptor RETRY = invocation -> {
        for (int i = 0; i < 2; i++) {
            try {
                return ((ProxyMethodInvocation) invocation).invocableClone().proceed();
            } catch (IllegalStateException e) {
                assertThat(e).hasMessage("not yet");
            }
        }
        return ((ProxyMethodInvocation) invocation).invocableClone().proceed();
    };

    private static Shop retried(Object target) {
        ProxyFactory factory = new ProxyFactory(target);
        factory.setProxyTargetClass(true);
        factory.addAdvice(RETRY);
        return (Shop) factory.getProxy();
    }

    @Test
    void eachInvocationIsACallAndEachAttemptIsOneOfItsAttempts() {
        Shop target = new Shop();
        Shop shop = (Shop) processor.postProcessAfterInitialization(retried(target), "shop");

        shop.order();
        shop.order();

        List<String> keys = target.keys;
        assertThat(keys).hasSize(6);
        assertThat(keys.subList(0, 3)).containsOnly(keys.get(0));
        assertThat(keys.subList(3, 6)).containsOnly(keys.get(3)).doesNotContain(keys.get(0));
    }

    @Test
    void otherMethodsAndBeansAreLeftAlone() {
        Shop shop = (Shop) processor.postProcessAfterInitialization(retried(new Shop()), "shop");
        assertThat(shop.other()).isEqualTo("null");

        Object plain = "a bean";
        assertThat(processor.postProcessAfterInitialization(plain, "plain")).isSameAs(plain);
        assertThat(Attempt.current()).isNull();
    }

    @Test
    void aRetryThatIsHiddenBehindAnotherProxyIsReportedAtTheStart() {
        ProxyFactory outer = new ProxyFactory(retried(new Shop()));
        outer.setProxyTargetClass(true);
        Object twice = outer.getProxy();

        assertThatThrownBy(() -> processor.postProcessAfterInitialization(twice, "shop"))
                .isInstanceOf(BeanCreationException.class)
                .hasMessageContaining("LogicalCall");
    }

    @Test
    void aProxyThatTakesNoAdviceIsReportedAtTheStart() {
        for (Consumer<ProxyFactory> closed :
                List.<Consumer<ProxyFactory>>of(proxy -> proxy.setFrozen(true), proxy -> proxy.setOpaque(true))) {
            ProxyFactory factory = new ProxyFactory(new Shop());
            factory.setProxyTargetClass(true);
            factory.addAdvice(RETRY);
            closed.accept(factory);
            Object shop = factory.getProxy();

            assertThatThrownBy(() -> processor.postProcessAfterInitialization(shop, "shop"))
                    .isInstanceOf(BeanCreationException.class)
                    .hasMessageContaining("LogicalCall");
        }
    }

    @Test
    void aBeanWithoutAProxyGetsOne() {
        Shop target = new Shop();
        Shop shop = (Shop) processor.postProcessAfterInitialization(target, "shop");
        Function<Shop, String> twice = s -> {
            assertThatThrownBy(s::order).hasMessage("not yet");
            assertThatThrownBy(s::order).hasMessage("not yet");
            return s.order();
        };

        assertThat(twice.apply(shop)).isEqualTo("done");
        assertThat(target.keys).doesNotHaveDuplicates();
    }
}
