package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each guard of the lock stores has a test that fails without it: stores with one guard broken are found out. */
class LockContractMutationTest {
    private static final int HISTORIES = 150;
    private static final Path TABLE = Path.of("target", "lock-contract-mutations.md");
    private static final List<String> LINES = new ArrayList<>();

    static Stream<BrokenLock> stores() {
        return Stream.concat(BrokenAcquiring.all(), BrokenEnding.all());
    }

    static Stream<BrokenLock> storesThatHistoriesFind() {
        return stores().filter(BrokenLock::byHistories);
    }

    @Test
    void theUnbrokenStorePasses() {
        MutantLockContract.breakWith(new LockMutant());
        assertThat(FailingTests.of(MutantLockContract.class)).isEmpty();
        runHistories(new LockMutant());
    }

    @ParameterizedTest
    @MethodSource("stores")
    void theContractFindsTheBrokenStore(BrokenLock broken) {
        MutantLockContract.breakWith(broken.mutant());
        Set<String> failing = FailingTests.of(MutantLockContract.class);
        LINES.add("| " + broken.guard() + " | " + broken.change() + " | " + String.join("; ", failing) + " |");
        assertThat(failing).isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("storesThatHistoriesFind")
    void randomHistoriesFindTheBrokenStore(BrokenLock broken) {
        assertThat(isFound(broken.mutant())).isTrue();
    }

    @AfterAll
    static void writesTheTable() throws IOException {
        List<String> table = new ArrayList<>(List.of("| guard | break | failing tests |", "|---|---|---|"));
        table.addAll(LINES);
        Files.createDirectories(TABLE.toAbsolutePath().getParent());
        Files.write(TABLE, table);
    }

    private static boolean isFound(LockMutant mutant) {
        try {
            runHistories(mutant);
            return false;
        } catch (RuntimeException | AssertionError found) {
            return true;
        }
    }

    private static void runHistories(LockMutant mutant) {
        MutantLockContract.breakWith(mutant);
        MutantLockContract contract = new MutantLockContract();
        for (int seed = 0; seed < HISTORIES; seed++) {
            new LockHistory(seed, contract, LockHistoryChecks.nothing()).run();
        }
    }
}
