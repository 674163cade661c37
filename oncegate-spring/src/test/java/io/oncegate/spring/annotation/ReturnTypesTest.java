package io.oncegate.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.error.InProgressException;
import io.oncegate.core.error.MismatchException;
import io.oncegate.testsupport.Await;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.http.ResponseEntity;
import reactor.core.Disposable;

/** What an annotated method returns is what its repetition returns, and each runs once. */
class ReturnTypesTest {
    private static AnnotationConfigApplicationContext context;
    private static Shapes shapes;

    @BeforeAll
    static void start() {
        context = Setup.memory(Shapes.class);
        shapes = context.getBean(Shapes.class);
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    private void twice(String what, Callable<Object> call, Object expected) throws Exception {
        assertThat(call.call()).isEqualTo(expected);
        assertThat(call.call()).isEqualTo(expected);
        assertThat(shapes.runs(what)).isEqualTo(1);
    }

    @Test
    @DisplayName("C48: 0, false, blank, empty, null and void are results")
    void emptyResultsAreResults() throws Exception {
        twice("int", () -> shapes.zero("a"), 0);
        twice("boolean", () -> shapes.no("a"), false);
        twice("text", () -> shapes.blank("a"), "");
        twice("list", () -> shapes.emptyList("a"), List.of());
        twice("map", () -> shapes.emptyMap("a"), java.util.Map.of());
        twice("optional", () -> shapes.none("a"), java.util.Optional.empty());
        twice("some", () -> shapes.some("a"), java.util.Optional.of(new Shapes.Item("a", new BigDecimal("1.10"))));
        twice("null", () -> shapes.nothing("a"), null);
        shapes.act("a");
        shapes.act("a");
        assertThat(shapes.runs("void")).isEqualTo(1);
    }

    @Test
    @DisplayName("C46: another payload under the key is refused and names the argument")
    void anotherPayloadIsRefused() {
        shapes.response("pay", 200);
        assertThatThrownBy(() -> shapes.response("pay", 201))
                .isInstanceOfSatisfying(
                        MismatchException.class, e -> assertThat(e.parts()).containsExactly("argument1"));
    }

    @Test
    void aStageIsSettledWhenItCompletes() throws Exception {
        CompletableFuture<String> first = shapes.stage("s");
        assertThatThrownBy(() -> shapes.stage("s").get(30, TimeUnit.SECONDS))
                .hasCauseInstanceOf(InProgressException.class);
        assertThat(first.cancel(true)).isTrue();
        assertThatThrownBy(() -> shapes.stage("s").get(30, TimeUnit.SECONDS))
                .as("a caller who cancels undoes nothing")
                .hasCauseInstanceOf(InProgressException.class);
        shapes.gate("s").complete("done");
        Await.until(
                "settled",
                Duration.ofSeconds(30),
                () -> shapes.stage("s").get(30, TimeUnit.SECONDS).equals("done"));
        assertThat(shapes.runs("stage")).isEqualTo(1);
        twice(
                "stage-done",
                () -> shapes.stageDone("d").toCompletableFuture().get(30, TimeUnit.SECONDS),
                new Shapes.Item("d", BigDecimal.ONE));
    }

    @Test
    void aFailedStageFreesTheKey() {
        CompletableFuture<String> first = shapes.stage("f");
        int before = shapes.runs("stage");
        shapes.takeGate("f").completeExceptionally(new IllegalStateException("broken"));
        assertThatThrownBy(() -> first.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(IllegalStateException.class);
        shapes.gate("f").complete("second");
        assertThat(shapes.stage("f")).succeedsWithin(Duration.ofSeconds(30)).isEqualTo("second");
        assertThat(shapes.runs("stage")).isEqualTo(before + 1);
    }

    @Test
    void aCallableRunsOnceWhenItIsCalled() throws Exception {
        Callable<Integer> first = shapes.callable("c");
        assertThat(shapes.runs("callable")).isZero();
        twice("callable", first::call, 7);
        assertThat(shapes.callable("c").call()).isEqualTo(7);
        assertThat(shapes.runs("callable")).isEqualTo(1);
    }

    @Test
    void aCancelledMonoGoesOnAndIsSettled() {
        Disposable first = shapes.mono("m").subscribe();
        Await.until("started", Duration.ofSeconds(30), () -> shapes.runs("mono") == 1);
        first.dispose();
        assertThatThrownBy(() -> shapes.mono("m").block(Duration.ofSeconds(30)))
                .isInstanceOf(InProgressException.class);
        shapes.gate("m").complete("done");
        Await.until(
                "settled",
                Duration.ofSeconds(30),
                () -> "done".equals(shapes.mono("m").block(Duration.ofSeconds(30))));
        assertThat(shapes.runs("mono")).isEqualTo(1);
    }

    @Test
    void anEmptyMonoAndACollectedFluxAreReplayed() throws Exception {
        twice("mono-empty", () -> shapes.monoEmpty("e").block(Duration.ofSeconds(30)), null);
        twice(
                "flux",
                () -> shapes.flux("x").collectList().block(Duration.ofSeconds(30)),
                List.of(new Shapes.Item("a", BigDecimal.ONE), new Shapes.Item("b", BigDecimal.TEN)));
    }

    @Test
    void aResponseIsReplayedWithStatusKeptHeadersAndBody() {
        assertThat(shapes.response("r", 201).getHeaders().get("Set-Cookie")).containsExactly("a=b");
        int before = shapes.runs("response");
        ResponseEntity<Shapes.Item> again = shapes.response("r", 201);
        assertThat(again.getStatusCode().value()).isEqualTo(201);
        assertThat(again.getBody()).isEqualTo(new Shapes.Item("r", BigDecimal.ONE));
        assertThat(again.getHeaders().getFirst("Location")).isEqualTo("/items/1");
        assertThat(again.getHeaders().getFirst("Idempotent-Replayed")).isEqualTo("true");
        assertThat(again.getHeaders().get("Set-Cookie")).isNull();
        assertThat(shapes.runs("response")).isEqualTo(before);
    }

    @Test
    void aResponseThatIsNotKeptFreesTheKey() {
        assertThat(shapes.response("busy", 503).getStatusCode().value()).isEqualTo(503);
        int before = shapes.runs("response");
        assertThat(shapes.response("busy", 503).getStatusCode().value()).isEqualTo(503);
        assertThat(shapes.runs("response")).isEqualTo(before + 1);
    }

    @Test
    void refusalsAreKeptAndOtherFailuresFreeTheKey() {
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> shapes.fail("no", true))
                    .isInstanceOf(Shapes.SoldOut.class)
                    .hasMessage("none left");
        }
        assertThat(shapes.runs("fail")).isEqualTo(1);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> shapes.fail("broken", false)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> shapes.checked("c")).isInstanceOf(IOException.class);
        }
        assertThat(shapes.runs("fail")).isEqualTo(3);
    }

    @Test
    void nestedCallsWithOtherKeysRunAndARecursiveOneIsRefusedAtOnce() {
        assertThat(shapes.nested("n1", () -> shapes.nested("n2", () -> "inner")))
                .isEqualTo("inner");
        assertThat(shapes.runs("nested")).isEqualTo(2);
        assertThatThrownBy(() -> shapes.again("r", 1)).isInstanceOf(RecursiveCallException.class);
        assertThat(shapes.again("r", 0)).as("the key is free again").isEqualTo("bottom");
        assertThatThrownBy(() -> shapes.againMono("r").block(Duration.ofSeconds(30)))
                .isInstanceOf(RecursiveCallException.class);
    }
}
