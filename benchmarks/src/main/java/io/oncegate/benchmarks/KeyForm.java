package io.oncegate.benchmarks;

import java.util.UUID;

/** What the ids of records look like, which the form of the caller's keys decides. */
enum KeyForm {
    /** Keys with a birth time, as our clients make them: ids begin with it, so a new one is the last. */
    TIME_ORDERED("time-ordered keys") {
        @Override
        String next() {
            return Keys.next();
        }
    },
    /** Other keys: their ids are digests, so a new one may lie anywhere. */
    DIGEST("digest keys") {
        @Override
        String next() {
            return UUID.randomUUID().toString();
        }
    };

    private final String title;

    KeyForm(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /** A new key of this form. */
    abstract String next();
}
