package io.oncegate.testkit;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Set;
import java.util.TreeSet;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs a contract over something broken, and names the tests that fail. */
final class FailingTests {
    private static final int ENOUGH = Integer.getInteger("oncegate.testkit.failures", 1);
    private static final String BRIEFLY = "1000";

    private FailingTests() {}

    /** Of the whole contract, up to one, or as many as {@code oncegate.testkit.failures} says. */
    static Set<String> of(Class<?> contract) {
        return of(contract, "");
    }

    /** Of the tests with this name alone, if there is one. What does not come is not waited for as long as elsewhere. */
    static Set<String> of(Class<?> contract, String method) {
        Set<String> failing = new TreeSet<>();
        CancellationToken enough = CancellationToken.create();
        LauncherDiscoveryRequestBuilder wanted = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(contract))
                .filters((PostDiscoveryFilter)
                        test -> FilterResult.includedIf(method.isEmpty() || isOrLeadsTo(test, method)));
        String before = System.getProperty(Polling.LIMIT_MILLIS);
        System.setProperty(Polling.LIMIT_MILLIS, BRIEFLY);
        try {
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
        } finally {
            if (before == null) {
                System.clearProperty(Polling.LIMIT_MILLIS);
            } else {
                System.setProperty(Polling.LIMIT_MILLIS, before);
            }
        }
        return failing;
    }

    private static boolean isOrLeadsTo(TestDescriptor test, String method) {
        return test.getSource()
                .filter(MethodSource.class::isInstance)
                .map(source -> ((MethodSource) source).getMethodName().equals(method))
                .orElse(true);
    }

    private static String nameOf(TestIdentifier test) {
        return test.getSource()
                .filter(MethodSource.class::isInstance)
                .map(source -> ((MethodSource) source).getMethodName())
                .orElse(test.getDisplayName());
    }
}
