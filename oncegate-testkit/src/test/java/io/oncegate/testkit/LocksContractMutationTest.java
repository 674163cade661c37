package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.lock.Locks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What users count on has a test that fails without it: locks with one guard broken are found out by the test that is meant
 * for it. Unbroken ones pass all of them in {@code MemoryLocksTest}.
 */
class LocksContractMutationTest {
    private static final Path TABLE = Path.of("target", "locks-contract-mutations.md");
    private static final List<String> LINES = new ArrayList<>();

    static Stream<BrokenLocks> locks() {
        return BrokenLocks.all();
    }

    static Stream<BrokenLocks.OfStore> stores() {
        return BrokenLocks.OfStore.all();
    }

    @ParameterizedTest
    @MethodSource("locks")
    void theContractFindsTheBrokenLocks(BrokenLocks broken) {
        isFound(broken.guard(), broken.change(), broken.test(), new LockMutant(), broken.locks());
    }

    @ParameterizedTest
    @MethodSource("stores")
    void theContractFindsLocksInABrokenStore(BrokenLocks.OfStore broken) {
        isFound(broken.guard(), broken.change(), broken.test(), broken.store(), UnaryOperator.identity());
    }

    private static void isFound(
            String guard, String change, String test, LockMutant store, UnaryOperator<Locks> locks) {
        MutantLocksContract.breakWith(store, locks);
        Set<String> failing = FailingTests.of(MutantLocksContract.class, test);
        LINES.add("| " + guard + " | " + change + " | " + String.join("; ", failing) + " |");
        assertThat(failing).containsExactly(test);
    }

    @AfterAll
    static void writesTheTable() throws IOException {
        List<String> table = new ArrayList<>(List.of("| guard | break | failing tests |", "|---|---|---|"));
        table.addAll(LINES);
        Files.createDirectories(TABLE.toAbsolutePath().getParent());
        Files.write(TABLE, table);
    }
}
