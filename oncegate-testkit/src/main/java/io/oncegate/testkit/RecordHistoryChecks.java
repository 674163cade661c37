package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.testkit.RecordRow.Question;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Random histories against the pure state machine. */
abstract class RecordHistoryChecks extends RecordRaceChecks {
    /** The number of histories unless {@code oncegate.testkit.histories} says otherwise. */
    private static final int HISTORIES = 40;

    private static final int TRACE = 60;

    @Test
    @DisplayName("random histories over two handles are answered as the state machine answers them")
    void randomHistoriesAreAnsweredAsTheStateMachineDoes() {
        int histories = Integer.getInteger("oncegate.testkit.histories", HISTORIES);
        long seed = Long.getLong(
                "oncegate.testkit.seed", ThreadLocalRandom.current().nextLong(1L << 40));
        Map<RecordRow, Set<Question>> visited = new EnumMap<>(RecordRow.class);
        for (RecordRow row : RecordRow.values()) {
            visited.put(row, EnumSet.noneOf(Question.class));
        }
        // Where time passes as it will, a rare row may not have been met yet: then more histories are run, not the same
        // again.
        int most = histories < HISTORIES ? histories : 20 * histories;
        for (int i = 0; i < histories || (i < most && !complete(visited)); i++) {
            RecordHistory history = new RecordHistory(seed + i, this, visited);
            try {
                history.run();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(failure(seed + i, history.trace(), e), e);
            }
        }
        if (histories >= HISTORIES) {
            assertThat(visited)
                    .as("rows of the table and the questions asked there (seed %d)", seed)
                    .allSatisfy((row, questions) ->
                            assertThat(questions).as("%s", row).containsExactly(Question.values()));
        }
    }

    private static boolean complete(Map<RecordRow, Set<Question>> visited) {
        return visited.values().stream().allMatch(questions -> questions.size() == Question.values().length);
    }

    private static String failure(long seed, List<String> trace, Throwable cause) {
        List<String> last = trace.subList(Math.max(0, trace.size() - TRACE), trace.size());
        return "history of seed " + seed + ": " + cause.getMessage()
                + "\nrun it alone with -Doncegate.testkit.seed=" + seed
                + " -Doncegate.testkit.histories=1\n" + String.join("\n", last);
    }
}
