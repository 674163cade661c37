package io.oncegate.spring.orm;

import io.oncegate.jdbc.Inserted;
import java.time.Duration;
import org.springframework.transaction.PlatformTransactionManager;

/** One of the mapping tools on the tables of these tests. */
public interface Tool extends AutoCloseable {
    /** The transactions it works in. */
    PlatformTransactionManager manager();

    /** Inserts first, guarded by uk_request, with the amount as content. */
    Inserted<Purchase> insert(Purchase purchase);

    /** The same without a spare connection, and with this wait for locks. */
    Inserted<Purchase> insertWithin(Duration lockWait, Purchase purchase);

    @Override
    void close();
}
