package io.oncegate.jdbc;

import io.oncegate.testkit.Outage;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** A pool of its own that can be cut off: by a frozen line to a server, and in front of H2 by handing out no connection. */
abstract class CutOff implements Outage, AutoCloseable {
    abstract DataSource source();

    abstract boolean isCut();

    @Override
    public abstract void close();

    static CutOff of(TestSetup.Open open) {
        return open.setup == TestSetup.H2 ? new Refusing(open.pool(8)) : new Frozen(new Line(open, 8));
    }

    private static final class Frozen extends CutOff {
        private final Line line;

        Frozen(Line line) {
            this.line = line;
        }

        @Override
        DataSource source() {
            return line.pool;
        }

        @Override
        boolean isCut() {
            return line.fault.isBroken();
        }

        @Override
        public void begin() {
            line.fault.freeze();
        }

        @Override
        public void end() {
            if (isCut()) {
                line.fault.unfreeze();
            }
        }

        @Override
        public void close() {
            line.close();
        }
    }

    private static final class Refusing extends CutOff implements DataSource {
        private final DataSource pool;
        private volatile boolean cut;

        Refusing(DataSource pool) {
            this.pool = pool;
        }

        @Override
        DataSource source() {
            return this;
        }

        @Override
        boolean isCut() {
            return cut;
        }

        @Override
        public void begin() {
            cut = true;
        }

        @Override
        public void end() {
            cut = false;
        }

        @Override
        public void close() {}

        @Override
        public Connection getConnection() throws SQLException {
            if (cut) {
                throw new SQLException("cut off", "08001");
            }
            return pool.getConnection();
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }

        @Override
        public PrintWriter getLogWriter() {
            return null;
        }

        @Override
        public void setLogWriter(PrintWriter out) {}

        @Override
        public void setLoginTimeout(int seconds) {}

        @Override
        public int getLoginTimeout() {
            return 0;
        }

        @Override
        public Logger getParentLogger() throws SQLFeatureNotSupportedException {
            throw new SQLFeatureNotSupportedException();
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            return pool.unwrap(type);
        }

        @Override
        public boolean isWrapperFor(Class<?> type) {
            return false;
        }
    }
}
