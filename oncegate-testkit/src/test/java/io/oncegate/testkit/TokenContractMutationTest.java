package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Each guard of the token stores has a test that fails without it: stores with one guard broken are found out. */
class TokenContractMutationTest {
    private static final int ENOUGH = Integer.getInteger("oncegate.testkit.failures", 1);
    private static final Path TABLE = Path.of("target", "token-contract-mutations.md");
    private static final List<String> LINES = new ArrayList<>();

    static Stream<BrokenTokens> stores() {
        return BrokenTokens.all();
    }

    @Test
    void theUnbrokenStorePasses() {
        assertThat(failing(BrokenTokens.none())).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("stores")
    void theContractFindsTheBrokenStore(BrokenTokens broken) {
        Set<String> failing = failing(broken);
        LINES.add("| " + broken.guard() + " | " + broken.change() + " | " + String.join("; ", failing) + " |");
        assertThat(failing).isNotEmpty();
    }

    @AfterAll
    static void writesTheTable() throws IOException {
        List<String> table = new ArrayList<>(List.of("| guard | break | failing tests |", "|---|---|---|"));
        table.addAll(LINES);
        Files.createDirectories(TABLE.toAbsolutePath().getParent());
        Files.write(TABLE, table);
    }

    /** Runs the contract and names the tests that fail, up to {@link #ENOUGH}. */
    private static Set<String> failing(BrokenTokens broken) {
        MutantTokenContract.breakWith(broken);
        Set<String> failing = new TreeSet<>();
        CancellationToken enough = CancellationToken.create();
        LauncherFactory.create()
                .execute(LauncherDiscoveryRequestBuilder.request()
                        .selectors(selectClass(MutantTokenContract.class))
                        .forExecution()
                        .cancellationToken(enough)
                        .listeners(new TestExecutionListener() {
                            @Override
                            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                                if (test.isTest() && result.getStatus() == TestExecutionResult.Status.FAILED) {
                                    failing.add(test.getDisplayName().replace("()", ""));
                                    if (failing.size() >= ENOUGH) {
                                        enough.cancel();
                                    }
                                }
                            }
                        })
                        .build());
        return failing;
    }
}
