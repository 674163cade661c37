package io.oncegate.jdbc;

import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.RecordId;
import io.oncegate.core.key.Scope;
import io.oncegate.core.lock.LockAnswer;
import io.oncegate.core.lock.LockRequest;
import io.oncegate.core.lock.LockStore;
import io.oncegate.core.spi.ClaimRef;
import io.oncegate.testsupport.Await;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;

/** One lock of a test, and how it is asked for. */
final class LockScene {
    static final Duration LONG = Duration.ofMinutes(10);
    static final Duration SHORT = Duration.ofMillis(300);

    final TestSetup.Open open;
    final OperationKey key =
            OperationKey.of("order.create", Scope.of("user"), UUID.randomUUID().toString());
    final RecordId id = key.id();

    LockScene(TestSetup.Open open) {
        this.open = open;
    }

    LockRequest request(Duration lease) {
        return LockRequest.of(id, key.operation(), lease, null);
    }

    ClaimRef granted(LockStore store, LockRequest request) {
        LockAnswer answer = store.acquire(request);
        if (answer instanceof LockAnswer.Granted granted) {
            return new ClaimRef(request.id(), granted.fence(), request.attempt());
        }
        throw new AssertionError("not granted: " + answer);
    }

    long column(String name) {
        try (Connection connection = open.small.getConnection();
                PreparedStatement statement =
                        connection.prepareStatement("SELECT " + name + " FROM oncegate_lock WHERE id = ?")) {
            connection.setAutoCommit(true);
            statement.setBytes(1, id.toBytes());
            try (var row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits until the lease is over by the database's clock. */
    void awaitLeaseEnd(long leaseEnd) {
        Await.until("the lease's end", Duration.ofSeconds(60), () -> open.micros() > leaseEnd);
    }

    /** Locks the row in a transaction of its own, which is the caller's to end. */
    Connection lockedRow() throws SQLException {
        Connection connection = open.database.connect();
        connection.setAutoCommit(false);
        try (PreparedStatement statement =
                connection.prepareStatement("UPDATE oncegate_lock SET due_at = due_at + 1 WHERE id = ?")) {
            statement.setBytes(1, id.toBytes());
            statement.executeUpdate();
        }
        return connection;
    }
}
