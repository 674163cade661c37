package io.oncegate.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.key.Scope;
import io.oncegate.core.memory.MemoryTokenStore;
import io.oncegate.core.token.OnceTokens;
import io.oncegate.core.token.TokenIssue;
import io.oncegate.core.token.TokenMode;
import io.oncegate.core.token.TokenRefusal;
import io.oncegate.core.token.TokenSecret;
import io.oncegate.core.token.TokenStore;
import io.oncegate.core.token.TokenUse;
import io.oncegate.jdbc.SchemaException;
import io.oncegate.spring.token.ReactiveTokenController;
import io.oncegate.spring.token.TokenController;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

/** Which one-time tokens an application gets. Nothing here needs a server: Redis is not asked before the first request. */
class TokenSetupTest {
    private static final String TEXT = "0123456789-0123456789-0123456789";
    private static final String SECRET = Base64.getEncoder().encodeToString(TEXT.getBytes(StandardCharsets.US_ASCII));
    private static final Scope ANN = Scope.of("ann");

    private static final AutoConfigurations CONFIGURATIONS = AutoConfigurations.of(
            OncegateAutoConfiguration.class,
            TokenAutoConfiguration.class,
            MvcTokenAutoConfiguration.class,
            WebFluxTokenAutoConfiguration.class,
            MvcGateAutoConfiguration.class,
            WebFluxGateAutoConfiguration.class);

    private final ApplicationContextRunner plain = new ApplicationContextRunner()
            .withConfiguration(CONFIGURATIONS)
            .withPropertyValues("oncegate.store=memory");

    private final ApplicationContextRunner application = plain.withPropertyValues("oncegate.tokens.secret=" + SECRET);

    private static TokenUse used(OnceTokens tokens, TokenMode mode) {
        TokenIssue.Issued issued = (TokenIssue.Issued) tokens.issue(ANN, "order.create", mode);
        return tokens.use(issued.token(), ANN, "order.create", Duration.ofDays(1));
    }

    @Test
    void thereAreTokensWhereASecretIsSet() {
        plain.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(OnceTokens.class));
        application.run(context -> assertThat(used(context.getBean(OnceTokens.class), TokenMode.STRICT))
                .isInstanceOf(TokenUse.Consumed.class));
        application
                .withPropertyValues("oncegate.tokens.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(OnceTokens.class));
        plain.withPropertyValues("oncegate.tokens.enabled=true")
                .run(context ->
                        assertThat(context).getFailure().rootCause().hasMessageContaining("oncegate.tokens.secret"));
    }

    @Test
    void theSettingsAreTheServices() {
        application
                .withPropertyValues(
                        "oncegate.tokens.ttl=90s",
                        "oncegate.tokens.cap=1",
                        "oncegate.tokens.when-full=refuse",
                        "oncegate.tokens.give-back=order.create")
                .run(context -> {
                    OnceTokens tokens = context.getBean(OnceTokens.class);
                    TokenIssue.Issued issued = (TokenIssue.Issued) tokens.issue(ANN, "order.create", TokenMode.STRICT);
                    assertThat(issued.expiresAt()).isBefore(Instant.now().plusSeconds(91));
                    assertThat(tokens.issue(ANN, "order.create", TokenMode.STRICT))
                            .isInstanceOf(TokenIssue.Full.class);
                    TokenUse.Consumed used =
                            (TokenUse.Consumed) tokens.use(issued.token(), ANN, "order.create", Duration.ofDays(1));
                    assertThat(tokens.giveBack(used, "order.create")).isTrue();
                });
    }

    @Test
    void tokensOfAFormerSecretAreAccepted() {
        OnceTokens before = OnceTokens.signedWith(TokenSecret.of(7, TEXT.getBytes(StandardCharsets.US_ASCII)))
                .build();
        String old = ((TokenIssue.Issued) before.issue(ANN, "order.create", TokenMode.REPLAY)).token();
        String next = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString("another secret, another secret, another one".getBytes(StandardCharsets.US_ASCII));
        ApplicationContextRunner changed =
                plain.withPropertyValues("oncegate.tokens.secret=" + next, "oncegate.tokens.secret-number=8");
        changed.run(context -> assertThat(
                        context.getBean(OnceTokens.class).use(old, ANN, "order.create", Duration.ofDays(1)))
                .isEqualTo(new TokenUse.Refused(TokenRefusal.FOREIGN)));
        changed.withPropertyValues("oncegate.tokens.former-secrets.7=" + SECRET)
                .run(context -> assertThat(
                                context.getBean(OnceTokens.class).use(old, ANN, "order.create", Duration.ofDays(1)))
                        .isInstanceOf(TokenUse.Replay.class));
    }

    @Test
    void noMessageShowsASecret() {
        String marked = "marked-secret-marked-secret";
        for (String[] bad : new String[][] {
            {"oncegate.tokens.secret=" + marked + "!", "oncegate.tokens.secret is not base64"},
            {"oncegate.tokens.secret=" + marked, "oncegate.tokens.secret"},
            {"oncegate.tokens.former-secrets.2=" + marked + "!", "oncegate.tokens.former-secrets.2 is not base64"},
            {"oncegate.tokens.former-secrets.two=" + marked, "by its number"},
            {"oncegate.tokens.former-secrets.1=" + SECRET, "two token secrets"}
        }) {
            application.withPropertyValues(bad[0]).run(context -> {
                assertThat(context).as(bad[1]).hasFailed();
                assertThat(context.getStartupFailure()).rootCause().hasMessageContaining(bad[1]);
                for (Throwable t = context.getStartupFailure(); t != null; t = t.getCause()) {
                    assertThat(String.valueOf(t.getMessage()))
                            .doesNotContain(marked)
                            .doesNotContain(SECRET);
                }
            });
        }
        application.run(
                context -> assertThat(context.getBean(OncegateProperties.class).toString())
                        .contains("TokenSettings")
                        .doesNotContain(SECRET));
    }

    @Test
    void strictTokensAreKeptWhereRecordsAre() {
        ApplicationContextRunner anywhere = application.withPropertyValues("oncegate.store=auto");
        anywhere.withPropertyValues("oncegate.redis.uri=redis://127.0.0.1:1").run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(OnceTokens.class).modes()).contains(TokenMode.STRICT);
        });
        ApplicationContextRunner database = anywhere.withConfiguration(
                        AutoConfigurations.of(DataSourceAutoConfiguration.class))
                .withPropertyValues("spring.datasource.generate-unique-name=true");
        database.withPropertyValues("oncegate.jdbc.create-schema=true")
                .run(context -> assertThat(used(context.getBean(OnceTokens.class), TokenMode.STRICT))
                        .isInstanceOf(TokenUse.Consumed.class));
        database.withPropertyValues("oncegate.tokens.store=jdbc", "oncegate.store=memory")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(SchemaException.class)
                        .hasMessageContaining("oncegate_token"));
        database.withPropertyValues("oncegate.tokens.store=none", "oncegate.store=memory")
                .run(context ->
                        assertThat(context.getBean(OnceTokens.class).modes()).containsExactly(TokenMode.REPLAY));
        application
                .withPropertyValues("oncegate.tokens.store=redis")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(MissingStoreException.class)
                        .hasMessageContaining("oncegate.tokens.store=redis"));
    }

    @Test
    void theApplicationsOwnBeansComeFirst() {
        MemoryTokenStore store = new MemoryTokenStore();
        application
                .withBean(TokenStore.class, () -> store)
                .withPropertyValues("oncegate.tokens.store=none")
                .run(context -> {
                    used(context.getBean(OnceTokens.class), TokenMode.STRICT);
                    assertThat(store.size()).isPositive();
                });
        OnceTokens own = OnceTokens.signedWith(TokenSecret.of(1, new byte[32])).build();
        application
                .withBean(OnceTokens.class, () -> own)
                .run(context -> assertThat(context).getBean(OnceTokens.class).isSameAs(own));
    }

    @Test
    void tokensAreIssuedOverHttpWherePurposesAreNamed() {
        WebApplicationContextRunner servlet = new WebApplicationContextRunner()
                .withConfiguration(CONFIGURATIONS)
                .withPropertyValues("oncegate.store=memory", "oncegate.tokens.secret=" + SECRET);
        servlet.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(TokenController.class));
        servlet.withPropertyValues("oncegate.tokens.purposes=order.create")
                .run(context -> assertThat(context)
                        .hasSingleBean(TokenController.class)
                        .doesNotHaveBean(ReactiveTokenController.class));
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(CONFIGURATIONS)
                .withPropertyValues(
                        "oncegate.store=memory",
                        "oncegate.tokens.secret=" + SECRET,
                        "oncegate.tokens.purposes[0]=order.create")
                .run(context -> assertThat(context)
                        .hasSingleBean(ReactiveTokenController.class)
                        .doesNotHaveBean(TokenController.class));
    }

    @Test
    void aRouteWithTokensNeedsSomethingThatChecksThem() {
        new WebApplicationContextRunner()
                .withConfiguration(CONFIGURATIONS)
                .withPropertyValues(
                        "oncegate.store=memory",
                        "oncegate.http.routes[0].path=/orders",
                        "oncegate.http.routes[0].operation=order.create",
                        "oncegate.http.routes[0].tokens=true")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("takes one-time tokens")
                        .hasMessageContaining("oncegate.tokens.secret"));
    }

    @Test
    void tokensNeedNoModuleThatAnApplicationLeavesOut() {
        application
                .withClassLoader(new FilteredClassLoader(
                        "io.oncegate.redis",
                        "io.oncegate.jdbc",
                        "io.lettuce",
                        "org.springframework.data",
                        "org.springframework.jdbc",
                        "org.springframework.transaction",
                        "org.springframework.web.servlet",
                        "org.springframework.web.reactive",
                        "jakarta.servlet",
                        "reactor",
                        "org.springdoc"))
                .withPropertyValues("oncegate.tokens.purposes=order.create")
                .run(context -> assertThat(used(context.getBean(OnceTokens.class), TokenMode.STRICT))
                        .isInstanceOf(TokenUse.Consumed.class));
    }
}
