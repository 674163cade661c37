package io.oncegate.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What is annotated is protected, or the start says why not and what to do. */
class StartUpReportTest {
    private static String report(Class<?>... beans) {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.setClassLoader(beans[0].getClassLoader());
            context.register(Setup.Memory.class);
            context.register(beans);
            context.refresh();
            return "";
        } catch (IllegalStateException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Traps.SelfCall.class,
                Traps.LambdaCall.class,
                Traps.ReferenceCall.class,
                Traps.InnerCall.class,
                Traps.LocalCall.class,
                Traps.GenericCall.class
            })
    @DisplayName("C91: a call from the same object is reported")
    void selfInvocation(Class<?> bean) {
        assertThat(report(bean))
                .containsPattern("act\\(String\\): is called by \\S+\\.(outer|run) ")
                .contains("past the proxy")
                .contains("Oncegate.run");
    }

    @Test
    @DisplayName("C91: private, final and static methods, and final classes, are reported in one list")
    void whatNoProxyCanSee() {
        assertThat(report(
                        Traps.PrivateMethod.class,
                        Traps.FinalMethod.class,
                        Traps.StaticMethod.class,
                        Traps.FinalClass.class,
                        Traps.NotInInterface.class))
                .contains("PrivateMethod.act(String): is private")
                .contains("FinalMethod.act(String): is final")
                .contains("StaticMethod.act(String): is static")
                .contains("FinalClass.act(String): its class is final")
                .contains("NotInInterface.other(String): is not in the interfaces");
    }

    @Test
    @DisplayName("C91: a bean that is made for a BeanPostProcessor is reported")
    void earlyBeans() {
        assertThat(report(Traps.Good.class, Traps.Early.class)).contains("Good.act(String): its bean has no proxy");
        assertThat(report(Traps.Good.class, Traps.NotTooEarly.class)).isEmpty();
    }

    @Test
    @DisplayName("C91: an object that a @Bean method of a lite configuration makes past the container is reported")
    void liteConfiguration() {
        assertThat(report(Traps.Lite.class)).contains("liteBean()").contains("as a plain method");
        assertThat(report(Traps.Full.class)).isEmpty();
    }

    @Test
    @DisplayName("C91: an annotation on an interface alone is protected, by proxies of both kinds")
    void interfaces() {
        for (String bean : List.of("interface", "class")) {
            Class<?> setup = bean.equals("class") ? ClassProxies.class : InterfaceProxies.class;
            try (AnnotationConfigApplicationContext context = Setup.memory(setup)) {
                Traps.Acting acting = context.getBean(Traps.Acting.class);
                assertThat(acting instanceof Traps.ByInterface).isEqualTo(bean.equals("class"));
                assertThat(acting.act("a")).as(bean).isEqualTo(acting.act("a"));
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class InterfaceProxies {
        @Bean
        Traps.ByInterface acting() {
            return new Traps.ByInterface();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableIdempotent(proxyTargetClass = true)
    static class ClassProxies {
        @Bean
        Traps.ByInterface acting() {
            return new Traps.ByInterface();
        }
    }

    @Test
    @DisplayName("C91: what a factory bean makes is protected")
    void products() {
        try (AnnotationConfigApplicationContext context = Setup.memory(Traps.Product.class)) {
            Traps.Acting acting = context.getBean(Traps.Acting.class);
            assertThat(acting.act("a")).isEqualTo(acting.act("a"));
        }
    }

    @Test
    void callsOnAnotherObjectAndOverridingAreNoSelfCalls() {
        assertThat(report(Traps.NoSelfCall.class)).isEmpty();
    }

    @Test
    void wrongAttributesAreReportedTogether() {
        String report = report(Traps.Wrong.class, Traps.Duplicates.class, Traps.Handler.class);
        assertThat(report)
                .contains("Wrong.name(String): an operation name has")
                .contains("Wrong.noName(String): has no operation name")
                .contains("Wrong.syntax(String): the key expression [#id +] is not an expression")
                .contains("Wrong.variable(String): the key expression [#idd] names #idd")
                .contains("Wrong.bare(String): the key expression [id] begins with the bare name id")
                .contains("Wrong.constant(String): the key expression ['all'] names no argument")
                .contains("Wrong.lease(String): lease [soon] is no duration")
                .contains("Wrong.placeholder(String): retention [${no.such.property}] cannot be resolved")
                .contains("Wrong.retention(String): operation wrong.retention: result retention")
                .contains("Wrong.mode(String): wants mode SAME_TRANSACTION")
                .contains("Wrong.type(String): operation wrong.type: codec json1 cannot store java.lang.Object")
                .contains("Wrong.stream(String): returns java.io.InputStream")
                .contains("Wrong.future(String): returns java.util.concurrent.Future")
                .contains("Wrong.argument(String, InputStream): has an argument of type java.io.InputStream")
                .contains("Wrong.async(String): is @Async, but is not run asynchronously")
                .contains("Wrong.keyless(String): has no key expression")
                .contains("Wrong.refusal(String): the refusal")
                .contains("operation trap.twice names several methods")
                .contains("Handler.act(String): has no key expression, and no HTTP gate guards this handler");
    }

    @Configuration(proxyBeanMethods = false)
    static class Gated {
        @Bean
        HandlerGate handlerGate() {
            return (Method handler, Class<?> controller) -> handler.getName().equals("act");
        }
    }

    @Test
    void aHandlerWithoutKeyIsLeftToTheHttpGate() {
        assertThat(report(Traps.Handler.class, Gated.class)).isEmpty();
    }

    @Test
    void aHandlerOfAnHttpInterfaceIsLeftToTheHttpGateToo() {
        assertThat(report(Traps.ExchangeHandler.class, Gated.class)).isEmpty();
    }

    @Test
    void aTransactionOfItsOwnDoesNotFitSameTransactionMode() {
        assertThat(report(Traps.LeavesTransaction.class)).contains("leaves the record's transaction");
    }

    @Test
    void aMissingScopeOrEngineIsNeverADefault() {
        for (Class<?> setup : List.of(Traps.NoScope.class, Traps.NoEngine.class)) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> new AnnotationConfigApplicationContext(setup, Traps.Good.class).close())
                    .withMessageContaining(setup == Traps.NoScope.class ? "has no scope" : "has no engine");
        }
    }

    @Test
    @DisplayName("C91: the lenient mode warns, and a wrong annotation still never runs unprotected")
    void lenient() {
        Map<String, Object> lenient = Map.of(IdempotentMethods.STRICT, "false");
        try (AnnotationConfigApplicationContext context =
                Setup.memory(lenient, Traps.FinalMethod.class, Traps.Wrong.class)) {
            assertThatCode(() -> context.getBean(Traps.FinalMethod.class).act("a"))
                    .doesNotThrowAnyException();
            assertThatThrownBy(() -> context.getBean(Traps.Wrong.class).variable("a"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("#idd");
        }
    }

    @Test
    @DisplayName("C92: without parameter names a named variable fails at start-up and says why")
    void withoutParameterNames(@TempDir Path directory) throws Exception {
        Path source = directory.resolve("Nameless.java");
        Files.writeString(
                source,
                "public class Nameless {"
                        + " @io.oncegate.spring.annotation.Idempotent(operation = \"nameless.named\", key = \"#id\")"
                        + " public String named(String id) { return id; }"
                        + " @io.oncegate.spring.annotation.Idempotent(operation = \"nameless.placed\", key = \"#p0\")"
                        + " public String placed(String id) { return id; } }");
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        int failed = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-cp", path, "-d", directory.toString(), source.toString());
        assertThat(failed).isZero();
        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {directory.toUri().toURL()}, getClass().getClassLoader())) {
            assertThat(report(loader.loadClass("Nameless")))
                    .contains("Nameless.named(String): the key expression [#id] names #id")
                    .contains("-parameters")
                    .doesNotContain("placed");
        }
    }
}
