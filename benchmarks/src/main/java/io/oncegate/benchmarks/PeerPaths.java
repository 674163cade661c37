package io.oncegate.benchmarks;

import io.oncegate.testsupport.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.camel.processor.idempotent.jdbc.JdbcMessageIdRepository;
import org.springframework.integration.jdbc.metadata.JdbcMetadataStore;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What others offer against duplicates in a database, as their documentation uses it: each call in a Spring transaction,
 * its own or the business's. Auto-commit is off. Thread-safe.
 */
final class PeerPaths implements AutoCloseable {
    private final BareSql sql;
    private final DataSource source;
    private final TransactionTemplate transaction;
    private final JdbcMessageIdRepository camel;
    private final JdbcMetadataStore integration;
    private final int prefilled;
    private List<String> known = List.of();

    /** The paths over this pool; {@link #create} has been called. */
    PeerPaths(BareSql sql, DataSource source, int prefilled) {
        this.sql = sql;
        this.source = source;
        this.prefilled = prefilled;
        this.transaction = new TransactionTemplate(new JdbcTransactionManager(source));
        this.camel = new JdbcMessageIdRepository(source, Orders.NAME);
        camel.start();
        this.integration = new JdbcMetadataStore(source);
        integration.afterPropertiesSet();
        integration.start();
    }

    /** Makes the tables that are not ours, with the names and columns that their owners give them. */
    static void create(TestDatabase database) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE CAMEL_MESSAGEPROCESSED (processorName VARCHAR(255), messageId VARCHAR(100),"
                    + " createdAt TIMESTAMP, PRIMARY KEY (processorName, messageId))");
            statement.execute("CREATE TABLE INT_METADATA_STORE (METADATA_KEY VARCHAR(255) NOT NULL,"
                    + " METADATA_VALUE VARCHAR(4000), REGION VARCHAR(100) NOT NULL,"
                    + " constraint INT_METADATA_STORE_PK primary key (METADATA_KEY, REGION))");
        }
    }

    List<Row> rows(String prefix, int threads) {
        return Stream.of(
                        Stream.of(Row.of(
                                prefix + "noise: INSERT + COMMIT to itself",
                                threads,
                                Side.all(this::insert),
                                Side.all(this::insert))),
                        newKeys(prefix, threads),
                        duplicates(prefix, threads),
                        guarded(prefix, threads),
                        guarded(prefix, 1))
                .flatMap(rows -> rows)
                .toList();
    }

    private Stream<Row> newKeys(String prefix, int threads) {
        Side bare = Side.all(this::insert);
        return Stream.of(
                Row.of(prefix + "Camel, new key, to INSERT + COMMIT", threads, bare, Side.all(this::camelFirst)),
                Row.of(
                        prefix + "Spring Integration, new key, to INSERT + COMMIT",
                        threads,
                        bare,
                        Side.all(this::integrationFirst)));
    }

    private Stream<Row> duplicates(String prefix, int threads) {
        return Stream.of(
                Row.of(prefix + "Camel, duplicate, to SELECT + COMMIT", threads, this::select, this::camelDuplicate)
                        .known("keeps no result and no fingerprint"),
                Row.of(
                                prefix + "Spring Integration, duplicate, to SELECT + COMMIT",
                                threads,
                                this::select,
                                this::integrationDuplicate)
                        .known("keeps a value, no fingerprint"));
    }

    private Stream<Row> guarded(String prefix, int threads) {
        Side bare = Side.all(this::unguarded);
        return Stream.of(
                Row.of(
                                prefix + "no result, Camel in the transaction to unguarded",
                                threads,
                                bare,
                                Side.all(this::camelAndBusiness))
                        .known("a duplicate that is under way waits or fails; no fingerprint"),
                Row.of(
                                prefix + "no result, Spring Integration in the transaction to unguarded",
                                threads,
                                bare,
                                Side.all(this::integrationAndBusiness))
                        .known("the same"));
    }

    private interface Statements {
        void run(Connection connection) throws SQLException;
    }

    private void inTransaction(Statements statements) throws SQLException {
        try (Connection connection = source.getConnection()) {
            statements.run(connection);
            connection.commit();
        }
    }

    private void insert() throws SQLException {
        inTransaction(connection -> sql.insert(connection, id(Keys.next()), Hand.NONE));
    }

    private Body select(int thread) throws SQLException {
        List<String> keys = known();
        return () -> inTransaction(connection -> sql.select(connection, id(Keys.any(keys))));
    }

    private void camelFirst() {
        require(camel.add(Keys.next()));
    }

    private Body camelDuplicate(int thread) throws SQLException {
        List<String> keys = known();
        return () -> require(!camel.add(Keys.any(keys)));
    }

    private void integrationFirst() {
        require(putIfAbsent(Keys.next()));
    }

    private Body integrationDuplicate(int thread) throws SQLException {
        List<String> keys = known();
        return () -> require(!putIfAbsent(Keys.any(keys)));
    }

    /** Its methods are transactional by annotation: this is what the proxy does. */
    private boolean putIfAbsent(String key) {
        return Boolean.TRUE.equals(transaction.execute(status -> integration.putIfAbsent(key, Orders.NAME) == null));
    }

    private void unguarded() throws SQLException {
        inTransaction(connection -> sql.business(connection, Keys.next()));
    }

    private void camelAndBusiness() {
        String key = Keys.next();
        transaction.executeWithoutResult(status -> {
            require(camel.add(key));
            business(key);
            require(camel.confirm(key));
        });
    }

    private void integrationAndBusiness() {
        String key = Keys.next();
        transaction.executeWithoutResult(status -> {
            require(integration.putIfAbsent(key, Orders.NAME) == null);
            business(key);
        });
    }

    private void business(String key) {
        Connection connection = DataSourceUtils.getConnection(source);
        try {
            sql.business(connection, key);
        } catch (SQLException e) {
            throw new IllegalStateException("the business failed", e);
        } finally {
            DataSourceUtils.releaseConnection(connection, source);
        }
    }

    private synchronized List<String> known() throws SQLException {
        if (known.isEmpty()) {
            List<String> keys = new ArrayList<>();
            for (int i = 0; i < prefilled; i++) {
                String key = Keys.next();
                inTransaction(connection -> sql.insert(connection, id(key), Orders.RESULT_BYTES));
                require(camel.add(key));
                require(putIfAbsent(key));
                keys.add(key);
            }
            known = keys;
        }
        return known;
    }

    private static void require(boolean asWanted) {
        if (!asWanted) {
            throw new IllegalStateException("A peer took a new key for a duplicate, or the other way round");
        }
    }

    private static byte[] id(String value) {
        return Orders.id(value).toBytes();
    }

    synchronized void forgetKnown() {
        known = List.of();
    }

    @Override
    public void close() {
        camel.stop();
        integration.stop();
    }
}
