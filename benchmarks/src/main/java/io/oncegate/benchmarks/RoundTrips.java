package io.oncegate.benchmarks;

import java.util.List;
import java.util.Locale;

/** Counts the round trips of both sides of a row, apart from the measuring. */
final class RoundTrips {
    private static final int WARM_UP = 4;
    private static final int COUNTED = 4;

    private final List<Row> rows;
    private final List<Relay> relays;

    /**
     * Counts through these relays.
     *
     * @param rows the group's rows, in their order, with sides that go through the relays
     */
    RoundTrips(List<Row> rows, Relay... relays) {
        this.rows = rows;
        this.relays = List.of(relays);
    }

    /** "bare → ours" of the row of this number. */
    String of(int row) throws Exception {
        return of(rows.get(row).bare()) + " → " + of(rows.get(row).guarded());
    }

    private String of(Side side) throws Exception {
        Body body = side.of(0);
        for (int i = 0; i < WARM_UP; i++) {
            body.run();
        }
        long before = trips();
        for (int i = 0; i < COUNTED; i++) {
            body.run();
        }
        double trips = (trips() - before) / (double) COUNTED;
        return trips == Math.rint(trips) ? Long.toString((long) trips) : String.format(Locale.ROOT, "%.1f", trips);
    }

    private long trips() {
        return relays.stream().mapToLong(Relay::trips).sum();
    }
}
