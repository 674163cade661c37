package io.oncegate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.spi.ClaimAnswer.Granted;
import io.oncegate.core.spi.ClaimAnswer.Replay;
import io.oncegate.core.spi.RecordBrowser.Entry;
import io.oncegate.core.spi.RecordBrowser.Query;
import io.oncegate.core.spi.RecordState;
import io.oncegate.jdbc.JdbcRecordStore;
import io.oncegate.testsupport.Databases;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Records that the database has made are such as the store writes. */
class FillingIT {
    private static final int COUNT = 1_000;
    private static final String TABLE = "filled";

    static Stream<Arguments> all() {
        return Stream.of(Databases.POSTGRESQL, Databases.MARIADB)
                .flatMap(kind -> Stream.of(KeyForm.values()).map(form -> Arguments.of(kind, form)));
    }

    @ParameterizedTest
    @MethodSource("all")
    void recordsAnswerAndAreNotDue(Databases kind, KeyForm form) throws Exception {
        try (MeasuredDatabase database = new MeasuredDatabase(kind)) {
            Filling.create(database, TABLE, form, COUNT, Orders.SETTLED, Duration.ZERO);
            JdbcRecordStore store = store(database);
            List<Entry> entries = entries(store);
            assertThat(entries).hasSize(COUNT).allMatch(entry -> entry.state() == RecordState.SUCCEEDED);
            int length = Orders.id(form.next()).toBytes().length;
            assertThat(entries).allMatch(entry -> entry.id().toBytes().length == length);
            assertThat(store.claim(Orders.request(entries.get(COUNT / 2).id(), Orders.DAY)))
                    .isInstanceOf(Replay.class);
            assertThat(store.claim(Orders.request(form.next()))).isInstanceOf(Granted.class);
            assertThat(store.purge(COUNT).isEmpty()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void recordsOfLongAgoAreDue(Databases kind, KeyForm form) throws Exception {
        try (MeasuredDatabase database = new MeasuredDatabase(kind)) {
            Filling.create(database, TABLE, form, COUNT, Orders.SETTLED, Duration.ofDays(3));
            JdbcRecordStore store = store(database);
            assertThat(store.claim(Orders.request(form.next()))).isInstanceOf(Granted.class);
            assertThat(store.purge(2 * COUNT).deleted()).isEqualTo(COUNT);
        }
    }

    private static JdbcRecordStore store(MeasuredDatabase database) {
        return JdbcRecordStore.builder(database.direct(1, true)).table(TABLE).build();
    }

    private static List<Entry> entries(JdbcRecordStore store) {
        List<Entry> entries = new ArrayList<>();
        String after = null;
        do {
            var page = store.browse(new Query(null, null, 100, after));
            entries.addAll(page.entries());
            after = page.next();
        } while (after != null);
        return entries;
    }
}
