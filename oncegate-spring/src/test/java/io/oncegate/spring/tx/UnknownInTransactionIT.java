package io.oncegate.spring.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.Call;
import io.oncegate.core.FailureKind;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.error.OutcomeUnknownException;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.Scope;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.Databases;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Nobody knows the outcome of an operation in the caller's transaction, whose rollback does not undo what is outside. */
class UnknownInTransactionIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Operation<String> PAY = Operation.named("pay")
            .returning(String.class)
            .failures(failure -> failure instanceof TimedOut ? FailureKind.NOBODY_KNOWS : FailureKind.NOTHING_HAPPENED)
            .build();

    private final AtomicInteger runs = new AtomicInteger();

    private static final class TimedOut extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private Outcome<String> pay(SpringSetup setup, Call<String> call) {
        return setup.oncegate.run(call, claim -> {
            runs.incrementAndGet();
            return setup.shop.payAndFail("undone", new TimedOut());
        });
    }

    private static Call<String> newCall() {
        return PAY.call(Scope.of("u"), UUID.randomUUID().toString(), Fingerprint.none());
    }

    private void assertUnknown(SpringSetup setup, Call<String> call) {
        Await.until("recorded", PATIENCE, () -> setup.records() == 1);
        assertThat(pay(setup, call)).isInstanceOf(Outcome.Unknown.class);
        assertThat(runs).hasValue(1);
        assertThat(setup.shop.payments()).isZero();
    }

    /** The pool has one connection, so nothing may be recorded before the caller has given his back. */
    @ParameterizedTest
    @CsvSource({"POSTGRESQL, false", "MARIADB, true"})
    @DisplayName("the unknown outcome outlives the caller's rollback")
    void itOutlivesTheCallersRollback(Databases kind, boolean jpa) throws Exception {
        try (SpringSetup setup = new SpringSetup(kind, jpa, 1)) {
            Call<String> call = newCall();
            assertThatThrownBy(() ->
                            setup.shop.inTransaction(() -> pay(setup, call).orElseThrow()))
                    .isInstanceOf(OutcomeUnknownException.class);
            assertUnknown(setup, call);
        }
    }

    @ParameterizedTest
    @CsvSource({"POSTGRESQL, false", "MARIADB, false"})
    @DisplayName("the unknown outcome outlives a savepoint that the caller goes back to")
    void itOutlivesASavepoint(Databases kind, boolean jpa) throws Exception {
        try (SpringSetup setup = new SpringSetup(kind, jpa, 2)) {
            Call<String> call = newCall();
            TransactionTemplate nested = new TransactionTemplate(setup.manager);
            nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
            setup.shop.inTransaction(() -> {
                assertThatThrownBy(
                                () -> nested.execute(status -> pay(setup, call).orElseThrow()))
                        .isInstanceOf(OutcomeUnknownException.class);
                return setup.shop.inTransaction(() -> "the caller commits");
            });
            assertUnknown(setup, call);
        }
    }
}
