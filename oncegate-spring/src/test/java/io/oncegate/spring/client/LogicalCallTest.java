package io.oncegate.spring.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LogicalCallTest {
    private static final URI A = URI.create("http://shop/a");
    private static final URI B = URI.create("http://shop/b");

    /** Sends a request as a client does. */
    private static String send(String method, URI uri, @Nullable String body) {
        try (CallKey key =
                IdempotencyKeys.open(Attempt.current(), method, uri, body == null ? null : body.getBytes(UTF_8))) {
            return key.value();
        }
    }

    private static String post(URI uri) {
        return send("POST", uri, "{}");
    }

    @Test
    void theNthRequestHasTheSameKeyInEveryAttempt() {
        LogicalCall call = LogicalCall.begin();

        List<String> first = call.attempt(() -> List.of(post(A), post(B), post(A)));
        List<String> failed = call.attempt(() -> List.of(post(A)));
        List<String> third = call.attempt(() -> List.of(post(A), post(B), post(A)));

        assertThat(first).doesNotHaveDuplicates();
        assertThat(failed).containsExactly(first.get(0));
        assertThat(third).isEqualTo(first);
    }

    @Test
    void theOrderBetweenResourcesDoesNotCount() {
        LogicalCall call = LogicalCall.begin();

        List<String> first = call.attempt(() -> List.of(post(A), post(B)));
        List<String> second = call.attempt(() -> List.of(post(B), post(A)));

        assertThat(second).containsExactly(first.get(1), first.get(0));
    }

    @Test
    void methodsAndQueriesAreApart() {
        LogicalCall call = LogicalCall.begin();

        assertThat(call.attempt(() -> List.of(post(A), send("PATCH", A, "{}"), post(URI.create("http://shop/a?x=1")))))
                .doesNotHaveDuplicates();
    }

    @Test
    void nothingIsSharedOutsideOrBetweenCalls() {
        LogicalCall call = LogicalCall.begin();
        LogicalCall other = LogicalCall.begin();
        List<String> keys = new ArrayList<>();
        keys.add(call.attempt(() -> post(A)));
        keys.add(post(A));
        keys.add(other.attempt(() -> post(A)));
        keys.add(post(A));

        assertThat(keys).doesNotHaveDuplicates();
    }

    @Test
    void anotherBodyIsRefusedAndNotGivenTheKey() {
        LogicalCall call = LogicalCall.begin();
        call.attempt(() -> send("POST", A, "{\"at\":1}"));

        assertThatExceptionOfType(AmbiguousCallException.class)
                .isThrownBy(() -> call.attempt(() -> send("POST", A, "{\"at\":2}")))
                .withMessageContaining("another body");
    }

    @Test
    void aSecondRequestWhileTheFirstIsInFlightIsRefused() {
        LogicalCall call = LogicalCall.begin();
        call.attempt(() -> {
            try (CallKey first = IdempotencyKeys.open(Attempt.current(), "POST", A, null)) {
                assertThat(post(B)).isNotEqualTo(first.value());
                assertThatThrownBy(() -> post(A)).isInstanceOf(AmbiguousCallException.class);
            }
            return post(A);
        });
    }

    @Test
    void anAttemptThatWasGivenUpCountsForItself() throws Exception {
        LogicalCall call = LogicalCall.begin();
        CompletableFuture<String> goOn = new CompletableFuture<>();
        CompletableFuture<List<String>> straggler = new CompletableFuture<>();
        CompletableFuture<String> begun = new CompletableFuture<>();
        Thread thread = new Thread(() -> straggler.complete(call.attempt(() -> {
            String first = post(A);
            begun.complete(first);
            goOn.join();
            return List.of(first, post(A));
        })));
        thread.start();
        begun.join();
        List<String> second = call.attempt(() -> List.of(post(A), post(A)));
        goOn.complete("");

        assertThat(straggler.get()).isEqualTo(second);
    }

    @Test
    void aCallWithinAnAttemptIsFoundAgainInTheNext() {
        LogicalCall outer = LogicalCall.begin();
        List<List<String>> attempts = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            attempts.add(outer.attempt(() -> {
                String before = post(A);
                LogicalCall inner = LogicalCall.begin();
                String failed = inner.attempt(() -> post(A));
                String again = inner.attempt(() -> post(A));
                assertThat(again).isEqualTo(failed);
                String second = LogicalCall.begin().attempt(() -> post(A));
                return List.of(before, again, second, post(A));
            }));
        }

        assertThat(attempts.get(0)).doesNotHaveDuplicates().isEqualTo(attempts.get(1));
    }

    @Test
    void aThreadIsLeftAsItWasFound() {
        LogicalCall call = LogicalCall.begin();
        assertThatThrownBy(() -> call.attempt(() -> {
                    throw new IllegalStateException("failed");
                }))
                .hasMessage("failed");

        assertThat(Attempt.current()).isNull();
    }

    @Test
    void anAttemptDoesNotReachThreadsThatAreStartedInIt() {
        LogicalCall call = LogicalCall.begin();
        String elsewhere =
                call.attempt(() -> CompletableFuture.supplyAsync(() -> post(A), work -> new Thread(work).start())
                        .join());

        assertThat(call.attempt(() -> post(A))).isNotEqualTo(elsewhere);
    }
}
