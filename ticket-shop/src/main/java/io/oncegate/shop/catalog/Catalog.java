package io.oncegate.shop.catalog;

import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/** The sessions in the database. Thread-safe. */
@Repository
@Transactional
public class Catalog {
    private static final String COLUMNS = "SELECT id, name, price, stock FROM concert_session";

    private final JdbcClient jdbc;

    Catalog(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** All sessions, by id. */
    public List<ConcertSession> all() {
        return jdbc.sql(COLUMNS + " ORDER BY id").query(ConcertSession.class).list();
    }

    /** One session. */
    public Optional<ConcertSession> find(long id) {
        return jdbc.sql(COLUMNS + " WHERE id = ?")
                .param(id)
                .query(ConcertSession.class)
                .optional();
    }

    /**
     * Takes seats, in the caller's transaction. One statement looks and takes, so that two callers never take the same seat.
     *
     * @return whether there were enough
     */
    public boolean take(long id, int seats) {
        return jdbc.sql(
                                "UPDATE concert_session SET stock = stock - ?, version = version + 1 WHERE id = ? AND stock >= ?")
                        .params(seats, id, seats)
                        .update()
                == 1;
    }

    /** Gives seats back, in the caller's transaction, which sees to it that it happens once. */
    public void giveBack(long id, int seats) {
        jdbc.sql("UPDATE concert_session SET stock = stock + ?, version = version + 1 WHERE id = ?")
                .params(seats, id)
                .update();
    }
}
