package io.oncegate.shop.web;

import java.util.concurrent.atomic.AtomicLong;
import org.springframework.stereotype.Component;

/** How many duplicates this process has stopped since its start, for the first page. Thread-safe. */
@Component
class Tally {
    private final AtomicLong repetitions = new AtomicLong();
    private final AtomicLong doubleClicks = new AtomicLong();

    /** A repetition was given the first answer. */
    void repetition() {
        repetitions.incrementAndGet();
    }

    /** A double click in the flash sale was refused. */
    void doubleClick() {
        doubleClicks.incrementAndGet();
    }

    long repetitions() {
        return repetitions.get();
    }

    long doubleClicks() {
        return doubleClicks.get();
    }
}
