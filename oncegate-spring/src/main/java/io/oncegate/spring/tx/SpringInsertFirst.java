package io.oncegate.spring.tx;

import io.oncegate.core.error.InProgressException;
import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.error.MismatchException;
import io.oncegate.jdbc.InsertFirst;
import io.oncegate.jdbc.Inserted;
import io.oncegate.jdbc.RowReader;
import io.oncegate.jdbc.SchemaException;
import io.oncegate.spring.tx.internal.DataSources;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * {@link InsertFirst} in the current transaction of Spring's, for those who use {@link JdbcTemplate} or {@code JdbcClient}.
 * Thread-safe. Takes the transaction's connection and no second one, but for a spare one that the helper was given; what the
 * database refuses is translated as by {@link JdbcTemplate}.
 */
public final class SpringInsertFirst {
    private final DataSource dataSource;
    private final InsertFirst helper;
    private final JdbcTemplate jdbc;

    /**
     * Creates it.
     *
     * @param dataSource the one that the transaction manager works on
     */
    public SpringInsertFirst(DataSource dataSource, InsertFirst helper) {
        this.dataSource = DataSources.target(dataSource);
        this.helper = helper;
        this.jdbc = new JdbcTemplate(this.dataSource);
    }

    /**
     * Inserts a row, and if it is there returns what is there: in the current transaction, or in a short one of its own where
     * none is open.
     *
     * @param values what to insert, by the columns' plain names
     * @param mapper reads the row; its row number is 0
     * @throws MismatchException if the row that is there has another content; the exception marks the transaction for rollback
     *     where it leaves a {@code @Transactional} method
     * @throws InProgressException if another open transaction has inserted the row and does not end in time
     * @throws InvalidKeyException if a value of the guard is null, blank or too long
     * @throws IllegalStateException if a transaction is open, and none on this data source
     * @throws DataAccessException as the database says
     */
    public <T> Inserted<T> insert(Map<String, ?> values, RowMapper<T> mapper) {
        RowReader<T> reader = row -> Objects.requireNonNull(mapper.mapRow(row, 0), "the mapper has made null of a row");
        boolean bound = OpenTransactions.on(dataSource).getAsBoolean();
        if (TransactionSynchronizationManager.isActualTransactionActive() ? bound : bound && commits()) {
            return Objects.requireNonNull(jdbc.execute(
                    (ConnectionCallback<Inserted<T>>) connection -> helper.insert(connection, values, reader)));
        } else if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException(
                    "a transaction is open, but not on this data source, so that the row would not be in"
                            + " it; give this helper the data source of the transaction manager");
        }
        try {
            return helper.insert(dataSource, values, reader);
        } catch (SQLException e) {
            DataAccessException translated = jdbc.getExceptionTranslator().translate("insert-first", null, e);
            throw translated == null ? new UncategorizedSQLException("insert-first", null, e) : translated;
        }
    }

    /** Without a transaction Spring keeps a connection too (SUPPORTS); where it is not in auto-commit nobody commits it. */
    private boolean commits() {
        return Boolean.TRUE.equals(jdbc.execute((ConnectionCallback<Boolean>) Connection::getAutoCommit));
    }

    /**
     * Looks at start-up whether the guard is as it has to be, as {@link InsertFirst#check}.
     *
     * @throws SchemaException naming all that is wrong, and what to do
     */
    public void check() {
        helper.check(dataSource);
    }
}
