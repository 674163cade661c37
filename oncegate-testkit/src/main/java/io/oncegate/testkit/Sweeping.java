package io.oncegate.testkit;

import io.oncegate.core.spi.RecordPurger;
import io.oncegate.core.spi.RecordPurger.Purged;

/** Runs a purger as a housekeeper would. */
final class Sweeping {
    private static final int BATCH = 500;
    private static final int MOST_BATCHES = 10_000;

    private Sweeping() {}

    static void untilNothingIsDue(RecordPurger purger) {
        for (int batch = 0; batch < MOST_BATCHES; batch++) {
            Purged purged = purger.purge(BATCH);
            if (purged.isEmpty()) {
                return;
            }
        }
        throw new AssertionError("the purger still finds something to do after " + MOST_BATCHES + " batches");
    }
}
