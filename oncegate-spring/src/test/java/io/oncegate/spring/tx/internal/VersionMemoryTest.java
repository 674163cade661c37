package io.oncegate.spring.tx.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.testsupport.Databases;
import io.oncegate.testsupport.TestDatabase;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

class VersionMemoryTest {
    private final TestDatabase database = Databases.H2.fresh();
    private final JdbcTransactionManager manager = new JdbcTransactionManager(database.pool(2, true));
    private final AtomicInteger takenBack = new AtomicInteger();

    @AfterEach
    void end() {
        database.close();
    }

    private void rolledBack(int propagation, Runnable work) {
        TransactionTemplate transaction = new TransactionTemplate(manager);
        transaction.setPropagationBehavior(propagation);
        transaction.executeWithoutResult(status -> {
            VersionMemory.remember(takenBack::incrementAndGet);
            work.run();
            status.setRollbackOnly();
        });
    }

    @Test
    @DisplayName("C56: where no transaction is open each write stays, and so does its version")
    void nothingIsTakenBackWhereNoTransactionIsOpen() {
        VersionMemory.remember(takenBack::incrementAndGet);
        rolledBack(TransactionDefinition.PROPAGATION_SUPPORTS, () -> {});
        assertThat(takenBack).hasValue(0);
    }

    @Test
    @DisplayName("C56: a transaction takes back its own versions, and not those of the one around it")
    void eachTransactionTakesBackItsOwn() {
        rolledBack(TransactionDefinition.PROPAGATION_REQUIRED, () -> {
            rolledBack(TransactionDefinition.PROPAGATION_REQUIRES_NEW, () -> {});
            assertThat(takenBack).hasValue(1);
            rolledBack(TransactionDefinition.PROPAGATION_NESTED, () -> {});
            assertThat(takenBack).hasValue(2);
            rolledBack(TransactionDefinition.PROPAGATION_NOT_SUPPORTED, () -> {});
            assertThat(takenBack).hasValue(2);
        });
        assertThat(takenBack).hasValue(3);
    }
}
