package io.oncegate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The arithmetic under the table. */
class FiguresTest {
    @Test
    void aQuantileIsWithinTheWidthOfABucket() {
        Histogram histogram = new Histogram();
        for (int i = 1; i <= 10_000; i++) {
            histogram.add(i * 1_000L);
        }
        assertThat(histogram.quantile(0.99)).isCloseTo(9_900_000, within(160_000.0));
        assertThat(histogram.quantile(0.5)).isCloseTo(5_000_000, within(80_000.0));
        assertThat(new Histogram().quantile(0.99)).isNaN();
    }

    @Test
    void histogramsAreSummed() {
        Histogram all = new Histogram();
        Histogram part = new Histogram();
        part.add(Long.MAX_VALUE);
        part.add(0);
        all.addAll(part);
        all.add(-1);
        assertThat(all.quantile(0.6)).isZero();
        assertThat(all.quantile(1)).isGreaterThan(9e18);
    }

    @Test
    void aSpreadHasTheMedianBetweenTheQuartiles() {
        assertThat(Spread.of(new double[] {5, 1, 3, 2, 4})).isEqualTo(new Spread(2, 3, 4));
        assertThat(Spread.of(new double[] {1, 2})).isEqualTo(new Spread(1.25, 1.5, 1.75));
    }

    @Test
    void aLineHasAColumnForEachHead() {
        Row row = Row.of("path", 8, Side.all(() -> {}), Side.all(() -> {}));
        Measured measured =
                new Measured(1000, 800, new Spread(0.7, 0.8, 0.9), new Spread(1.2, 1.3, 1.4), 1.5, Double.NaN, 1, 1);
        Table table = new Table();
        table.add(new Table.Line(row, measured, "2 → 2"));
        assertThat(table.toString().lines().toList().get(2))
                .startsWith("| path | 8 | 1,000 | 800 | 0.80 (0.70–0.90) | 1.30 × (1.20–1.40) | 1.50 × |  | 2 → 2 |");
        assertThat(table.toString()
                        .lines()
                        .map(line -> line.chars().filter(c -> c == '|').count()))
                .containsOnly(13L);
    }

    @Test
    void aRowIsNotMeasuredWhereItsCheckFails() throws Exception {
        Table table = new Table();
        try (Group group = new Unsound()) {
            assertThat(Ratios.measure(group, 0, Plan.quick(), table)).contains("path failed", "ran twice");
        }
        assertThat(table.lines()).isEmpty();
        assertThat(table.failures()).singleElement().asString().contains("path", "ran twice");
    }

    @Test
    void aVerdictSaysWhatWasMissedAndByHowMuch() {
        Measured measured = new Measured(100, 80, new Spread(0.7, 0.8, 0.9), Spread.NONE, 1.5, Double.NaN, 1, 1);
        assertThat(new Goal(0.85, 1.25, 4).verdict(measured)).isEqualTo("**missed**: ratio by 0.05, p99 by 0.25");
        assertThat(Goal.ratio(0.8).verdict(measured)).isEqualTo("met");
        assertThat(Goal.NONE.verdict(measured)).isEmpty();
    }

    /** One row, after which something is found that must not be. */
    private static final class Unsound implements Group {
        @Override
        public String about() {
            return "";
        }

        @Override
        public List<Row> rows() {
            return List.of(Row.of("path", 1, Side.all(() -> {}), Side.all(() -> {})));
        }

        @Override
        public @Nullable RoundTrips roundTrips() {
            return null;
        }

        @Override
        public @Nullable LongSupplier serverCpu() {
            return null;
        }

        @Override
        public void clean() {}

        @Override
        public void check() {
            throw new IllegalStateException("the handler ran twice");
        }

        @Override
        public void close() {}
    }
}
