package io.oncegate.jdbc;

import io.oncegate.core.spi.ClaimRef;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import org.jspecify.annotations.Nullable;

/** Fills a statement's parameters from left to right. Not thread-safe. */
final class Binder {
    private final PreparedStatement statement;
    private int next = 1;

    Binder(PreparedStatement statement) {
        this.statement = statement;
    }

    Binder bytes(byte @Nullable [] value) throws SQLException {
        if (value == null) {
            statement.setNull(next++, Types.VARBINARY);
        } else {
            statement.setBytes(next++, value);
        }
        return this;
    }

    Binder text(String value) throws SQLException {
        statement.setString(next++, value);
        return this;
    }

    Binder number(long value) throws SQLException {
        statement.setLong(next++, value);
        return this;
    }

    Binder number(@Nullable Long value) throws SQLException {
        if (value == null) {
            statement.setNull(next++, Types.BIGINT);
        } else {
            statement.setLong(next++, value);
        }
        return this;
    }

    /** Factor and summand of {@code clock * ? + ?}. */
    Binder moment(Draft.Moment moment) throws SQLException {
        return number(moment.relative() ? 1L : 0L).number(moment.micros());
    }

    Binder claim(ClaimRef claim) throws SQLException {
        return bytes(claim.id().toBytes())
                .number(claim.fence())
                .bytes(claim.attempt().toBytes());
    }
}
