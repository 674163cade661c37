package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.testkit.LockState.Question;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Random histories against the pure state machine. */
abstract class LockHistoryChecks extends LockUpkeepChecks {
    /** The number of histories unless {@code oncegate.testkit.histories} says otherwise. */
    private static final int HISTORIES = 15;

    private static final int TRACE = 60;

    @Test
    @DisplayName("random histories over two handles are answered as the state machine answers them")
    void randomHistoriesAreAnsweredAsTheStateMachineDoes() {
        int histories = Integer.getInteger("oncegate.testkit.histories", HISTORIES);
        long seed = Long.getLong(
                "oncegate.testkit.seed", ThreadLocalRandom.current().nextLong(1L << 40));
        Map<LockState, Set<Question>> visited = nothing();
        // more, where a rare cell of the table has not been met yet
        int most = histories < HISTORIES ? histories : 20 * histories;
        for (int i = 0; i < histories || (i < most && !complete(visited)); i++) {
            LockHistory history = new LockHistory(seed + i, this, visited);
            try {
                history.run();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(failure(seed + i, history.trace(), e), e);
            }
        }
        if (histories >= HISTORIES) {
            assertThat(visited)
                    .as("rows of the table and the questions asked there (seed %d)", seed)
                    .allSatisfy((state, questions) ->
                            assertThat(questions).as("%s", state).containsAll(wanted(state)));
        }
    }

    static Map<LockState, Set<Question>> nothing() {
        Map<LockState, Set<Question>> visited = new EnumMap<>(LockState.class);
        for (LockState state : LockState.values()) {
            visited.put(state, EnumSet.noneOf(Question.class));
        }
        return visited;
    }

    private static boolean complete(Map<LockState, Set<Question>> visited) {
        return visited.entrySet().stream().allMatch(entry -> entry.getValue().containsAll(wanted(entry.getKey())));
    }

    private static Set<Question> wanted(LockState state) {
        EnumSet<Question> all = EnumSet.allOf(Question.class);
        if (state == LockState.ABSENT) {
            all.remove(Question.ACQUIRE_AGAIN);
        }
        return all;
    }

    private static String failure(long seed, List<String> trace, Throwable cause) {
        List<String> last = trace.subList(Math.max(0, trace.size() - TRACE), trace.size());
        return "history of seed " + seed + ": " + cause.getMessage()
                + "\nrun it alone with -Doncegate.testkit.seed=" + seed
                + " -Doncegate.testkit.histories=1\n" + String.join("\n", last);
    }
}
