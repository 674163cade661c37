package io.oncegate.spring.lock;

import io.oncegate.core.lock.HeldLock;
import io.oncegate.spring.annotation.Idempotent;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Counters in a database that are read, added to and written back: wrong as soon as two do so at once. */
class Counters {
    private final JdbcClient jdbc;

    Counters(DataSource dataSource) {
        this.jdbc = JdbcClient.create(dataSource);
    }

    void create(String id) {
        jdbc.sql("INSERT INTO counter (id, n) VALUES (?, 0)").param(id).update();
    }

    int read(String id) {
        return jdbc.sql("SELECT n FROM counter WHERE id = ?")
                .param(id)
                .query(Integer.class)
                .single();
    }

    private void addOne(String id) {
        int n = read(id);
        jdbc.sql("UPDATE counter SET n = ? WHERE id = ?").param(n + 1).param(id).update();
    }

    // snippet: locked
    @Locked(operation = "counter.add", key = "#id", whenHeld = WhenHeld.WAIT, waitUpTo = "2m")
    @Transactional
    public void add(String id) {
        addOne(id);
    }
    // end snippet

    @Locked(operation = "counter.try", key = "#id")
    @Transactional
    public void tryAdd(String id) {
        addOne(id);
    }

    /** Locked inside of a transaction that the engine begins. */
    @Idempotent(
            operation = "counter.idempotent",
            key = "#request",
            fingerprint = Idempotent.KEY_ALONE,
            mode = Idempotent.Mode.SAME_TRANSACTION)
    @Locked(operation = "counter.try", key = "#id")
    @Transactional
    public int addIdempotent(String request, String id, Runnable afterCommit) {
        addOne(id);
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                afterCommit.run();
            }
        });
        return read(id);
    }

    @Locked(operation = "counter.own", key = "#id")
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void addInOwn(String id) {
        addOne(id);
    }

    @OncePerWindow(operation = "counter.once", key = "#id", window = "1h")
    @Transactional
    public void addOnce(String id, boolean fail) {
        addOne(id);
        if (fail) {
            throw new IllegalStateException("broken");
        }
    }

    @OncePerWindow(operation = "counter.once-result", key = "#id", window = "1h", whenHeld = WhenHeld.RESULT)
    @Transactional
    public int addOnceWithResult(String id) {
        addOne(id);
        return read(id);
    }

    @Locked(operation = "counter.stage", key = "#id")
    public CompletableFuture<String> stage(String id, CompletableFuture<String> work) {
        return work;
    }

    @Locked(operation = "counter.fails", key = "#id", lease = "100ms", renewed = false, failOnLost = true)
    @Transactional
    public HeldLock addOrFail(String id) {
        addOne(id);
        return CurrentLock.get();
    }

    @Locked(operation = "counter.nested", key = "#id")
    @Transactional
    public <T> T nested(String id, Supplier<T> inside) {
        addOne(id);
        return inside.get();
    }
}
