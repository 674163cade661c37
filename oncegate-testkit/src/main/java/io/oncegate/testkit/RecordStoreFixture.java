package io.oncegate.testkit;

import io.oncegate.core.spi.RecordBrowser;
import io.oncegate.core.spi.RecordPurger;
import io.oncegate.core.spi.RecordStore;

/** What the subclass of a {@link RecordStoreContract} supplies. */
abstract class RecordStoreFixture {
    /** The store. The same object, or an equal one, on every call of one test. */
    protected abstract RecordStore store();

    /**
     * A second handle on the same backend, as another process would have it: it shares neither connection nor cache with
     * {@link #store()}.
     */
    protected abstract RecordStore twin();

    /** The backend itself. */
    protected abstract StoreBackend backend();

    /** What the store can do; a new store has to answer. */
    protected abstract StoreAbilities abilities();

    /** The operators' view of {@link #store()}; asked for only where {@link StoreAbilities#browses()}. */
    protected RecordBrowser browser() {
        return (RecordBrowser) store();
    }

    /** The sweeper of {@link #store()}; asked for only where {@link StoreAbilities#purges()}. */
    protected RecordPurger purger() {
        return (RecordPurger) store();
    }
}
