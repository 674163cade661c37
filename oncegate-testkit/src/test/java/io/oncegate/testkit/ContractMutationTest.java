package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.oncegate.testkit.Broken.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Each guard of the record has a test that fails without it: stores with one guard broken are found out. */
class ContractMutationTest {
    private static final int HISTORIES = 150;
    private static final int ENOUGH = Integer.getInteger("oncegate.testkit.failures", 1);
    private static final Path TABLE = Path.of("target", "contract-mutations.md");
    private static final List<String> LINES = new ArrayList<>();

    static Stream<Broken> stores() {
        return Stream.concat(BrokenClaims.all(), BrokenHolders.all());
    }

    static Stream<Broken> storesThatHistoriesFind() {
        return stores().filter(broken -> broken.kind() == Kind.ANYWHERE);
    }

    @Test
    void theUnbrokenStorePasses() {
        assertThat(failing(new Mutant(), false)).isEmpty();
        assertThat(failing(new Mutant(), true)).isEmpty();
        assertThatCode(() -> runHistories(new Mutant())).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @MethodSource("stores")
    void aWrittenTestFindsTheBrokenStore(Broken broken) {
        Set<String> failing = failing(broken.mutant(), broken.kind() == Kind.RACE);
        LINES.add("| " + broken.guard() + " | " + broken.change() + " | " + String.join("; ", failing) + " |");
        assertThat(failing).isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("storesThatHistoriesFind")
    void randomHistoriesFindTheBrokenStore(Broken broken) {
        assertThat(found(broken.mutant())).isTrue();
    }

    @AfterAll
    static void writesTheTable() throws IOException {
        List<String> table = new ArrayList<>(List.of("| guard | break | failing tests |", "|---|---|---|"));
        table.addAll(LINES);
        Files.createDirectories(TABLE.toAbsolutePath().getParent());
        Files.write(TABLE, table);
    }

    private static boolean found(Mutant mutant) {
        try {
            runHistories(mutant);
            return false;
        } catch (AssertionError found) {
            return true;
        }
    }

    private static void runHistories(Mutant mutant) {
        MutantContract.breakWith(mutant);
        Map<RecordRow, Set<RecordRow.Question>> visited = new EnumMap<>(RecordRow.class);
        for (RecordRow row : RecordRow.values()) {
            visited.put(row, EnumSet.noneOf(RecordRow.Question.class));
        }
        MutantContract contract = new MutantContract();
        for (int seed = 0; seed < HISTORIES; seed++) {
            new RecordHistory(seed, contract, visited).run();
        }
    }

    /** Runs the contract's written tests, or its races, and names those that fail, up to {@link #ENOUGH}. */
    private static Set<String> failing(Mutant mutant, boolean races) {
        MutantContract.breakWith(mutant);
        Set<String> failing = new TreeSet<>();
        CancellationToken enough = CancellationToken.create();
        LauncherDiscoveryRequestBuilder wanted = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(MutantContract.class))
                .filters((PostDiscoveryFilter) test -> FilterResult.includedIf(isWanted(test, races)));
        LauncherFactory.create()
                .execute(wanted.forExecution()
                        .cancellationToken(enough)
                        .listeners(new TestExecutionListener() {
                            @Override
                            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                                if (test.isTest() && result.getStatus() == TestExecutionResult.Status.FAILED) {
                                    failing.add(nameOf(test));
                                    if (failing.size() >= ENOUGH) {
                                        enough.cancel();
                                    }
                                }
                            }
                        })
                        .build());
        return failing;
    }

    private static String nameOf(TestIdentifier test) {
        String method = test.getSource()
                .filter(org.junit.platform.engine.support.descriptor.MethodSource.class::isInstance)
                .map(source -> ((org.junit.platform.engine.support.descriptor.MethodSource) source).getMethodName())
                .orElse("");
        return test.getDisplayName().contains(" | ")
                ? "cell " + test.getDisplayName().replace(" | ", ", ")
                : method;
    }

    private static boolean isWanted(TestDescriptor test, boolean races) {
        return test.getSource()
                .filter(org.junit.platform.engine.support.descriptor.MethodSource.class::isInstance)
                .map(source -> ((org.junit.platform.engine.support.descriptor.MethodSource) source)
                        .getJavaMethod()
                        .getDeclaringClass())
                .map(declaring ->
                        declaring != RecordHistoryChecks.class && races == (declaring == RecordRaceChecks.class))
                .orElse(true);
    }
}
