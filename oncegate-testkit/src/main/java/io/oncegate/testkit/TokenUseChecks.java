package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.key.Scope;
import io.oncegate.core.key.UuidV7;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.spi.RecordMachine;
import io.oncegate.core.token.TokenRef;
import io.oncegate.core.token.TokenStore.IssueAnswer;
import io.oncegate.core.token.WhenFull;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** One token: consumed once, given back by its consumer, over at its end. */
abstract class TokenUseChecks extends TokenStoreFixture {
    private static final Duration WELL_PAST = SHORT.plusMillis(3);

    @Test
    void aTokenIsConsumedOnce() {
        TokenRef token = issued(someone());
        assertThat(store().consume(token, AttemptId.random())).isTrue();
        assertThat(twin().consume(token, AttemptId.random())).isFalse();
        assertThat(store().consume(token, AttemptId.random())).isFalse();
    }

    @Test
    void theAttemptThatConsumedATokenIsToldSoAgain() {
        TokenRef token = issued(someone());
        AttemptId attempt = AttemptId.random();
        for (int i = 0; i < 3; i++) {
            assertThat(handle(i).consume(token, attempt)).isTrue();
        }
        assertThat(consumed(token)).isFalse();
    }

    @Test
    void aTokenThatWasNeverIssuedIsNotConsumed() {
        Scope subject = someone();
        assertThat(consumed(tokenOf(subject))).isFalse();
        TokenRef good = issued(subject);
        assertThat(consumed(tokenOf(subject))).isFalse();
        assertThat(consumed(good)).isTrue();
    }

    @Test
    void aTokenIsOfItsSubjectAndPurposeAlone() {
        Scope subject = someone();
        TokenRef token = issued(subject);
        Scope other = someone();
        TokenRef others = issued(other);
        assertThat(consumed(TokenRef.of(token.id(), other, PURPOSE))).isFalse();
        assertThat(consumed(TokenRef.of(token.id(), subject, "order.cancel"))).isFalse();
        AttemptId attempt = AttemptId.random();
        assertThat(store().consume(token, attempt)).isTrue();
        assertThat(store().consume(TokenRef.of(token.id(), other, PURPOSE), attempt))
                .isFalse();
        assertThat(store().consume(TokenRef.of(token.id(), subject, "order.cancel"), attempt))
                .isFalse();
        assertThat(store().giveBack(TokenRef.of(token.id(), other, PURPOSE), attempt))
                .isFalse();
        assertThat(store().giveBack(TokenRef.of(token.id(), subject, "order.cancel"), attempt))
                .isFalse();
        assertThat(consumed(token)).isFalse();
        assertThat(consumed(others)).isTrue();
    }

    @Test
    @DisplayName("C05: a token is given back by the attempt that consumed it and by no other")
    void onlyTheConsumerGivesATokenBack() {
        TokenRef token = issued(someone());
        AttemptId consumer = AttemptId.random();
        assertThat(store().giveBack(token, consumer)).as("not consumed yet").isFalse();
        assertThat(store().consume(token, consumer)).isTrue();
        assertThat(twin().giveBack(token, AttemptId.random())).isFalse();
        assertThat(consumed(token)).isFalse();
        assertThat(twin().giveBack(token, consumer)).isTrue();
        assertThat(consumed(token)).isTrue();
    }

    @Test
    @DisplayName("C05: an attempt whose token went on to another one changes nothing")
    void aStaleAttemptGivesNothingBack() {
        TokenRef token = issued(someone());
        AttemptId first = AttemptId.random();
        AttemptId second = AttemptId.random();
        store().consume(token, first);
        store().giveBack(token, first);
        assertThat(store().giveBack(token, first)).as("given back already").isFalse();
        assertThat(twin().consume(token, second)).isTrue();
        assertThat(store().giveBack(token, first)).isFalse();
        assertThat(store().consume(token, first)).isFalse();
        assertThat(consumed(token)).isFalse();
        assertThat(twin().giveBack(token, second)).isTrue();
    }

    @Test
    void aTokenEndsByTheStoresClock() {
        Scope subject = someone();
        backend().passTime(Duration.ofNanos(1_000));
        long before = backend().storeTimeMicros();
        IssueAnswer.Kept kept = (IssueAnswer.Kept) store().issue(tokenOf(subject), LONG, CAP, WhenFull.DROP_OLDEST);
        assertThat(kept.expiresAt())
                .isBetween(
                        before + RecordMachine.micros(LONG), backend().storeTimeMicros() + RecordMachine.micros(LONG));

        TokenRef brief = issued(tokenOf(subject), SHORT);
        backend().passTime(WELL_PAST);
        assertThat(consumed(brief)).isFalse();
    }

    @Test
    @DisplayName("C20: a token with no time left is over, to the microsecond where the clock can be moved so")
    void aTokenWithNoTimeLeftIsOver() {
        TokenRef early = tokenOf(someone());
        TokenRef late = tokenOf(someone());
        for (TokenRef token : List.of(early, late)) {
            store().issue(token, Duration.ofMillis(1), CAP, WhenFull.DROP_OLDEST);
        }
        if (backend() instanceof SteppingBackend) {
            backend().passTime(Duration.ofNanos(999_000));
            assertThat(consumed(early)).isTrue();
            backend().passTime(Duration.ofNanos(1_000));
        } else {
            backend().passTime(Duration.ofMillis(1));
        }
        assertThat(consumed(late)).isFalse();
    }

    @Test
    void aConsumedTokenEndsToo() {
        Scope subject = someone();
        AttemptId attempt = AttemptId.random();
        TokenRef token = consumedInTime(subject, attempt);
        backend().passTime(WELL_PAST.plusMillis(500));
        assertThat(store().consume(token, attempt)).isFalse();
        assertThat(store().giveBack(token, attempt)).isFalse();
        assertThat(consumed(token)).isFalse();
    }

    @Test
    void aTokenThatIsGivenBackKeepsItsEnd() {
        AttemptId attempt = AttemptId.random();
        TokenRef token = consumedInTime(someone(), attempt);
        boolean back = store().giveBack(token, attempt);
        backend().passTime(WELL_PAST.plusMillis(500));
        assertThat(consumed(token)).as("given back: %s", back).isFalse();
    }

    /** On a slow machine a real clock may go on too far before the token is consumed; then another one is tried. */
    private TokenRef consumedInTime(Scope subject, AttemptId attempt) {
        for (int tries = 0; tries < 50; tries++) {
            TokenRef token = issued(tokenOf(subject), Duration.ofMillis(500));
            if (store().consume(token, attempt)) {
                return token;
            }
        }
        throw new AssertionError("no token could be consumed within 500 ms of its issue");
    }

    @Test
    void oddSubjectsAndPurposesAreAllDifferent() {
        String run = someone().toBytes().length + "-" + System.nanoTime();
        List<TokenRef> tokens = new ArrayList<>();
        List<String> odd = OddKeys.values().stream()
                .filter(text -> !text.isBlank() && text.length() <= Scope.MAX_PART_LENGTH)
                .toList();
        for (String text : odd) {
            tokens.add(TokenRef.of(UuidV7.next(), Scope.of(run, text), PURPOSE));
            tokens.add(TokenRef.of(UuidV7.next(), Scope.of(run + text), text));
        }
        String[] tenKilobytes =
                Stream.generate(() -> "{x}".repeat(341)).limit(10).toArray(String[]::new);
        tokens.add(TokenRef.of(UuidV7.next(), Scope.of(tenKilobytes), "\u8ba2".repeat(10_000)));
        tokens.forEach(token -> issued(token, LONG));
        for (int i = 0; i < tokens.size(); i++) {
            TokenRef token = tokens.get(i);
            String neighbour = odd.get((i / 2 + 1) % odd.size());
            assertThat(consumed(TokenRef.of(token.id(), Scope.of(run, neighbour), PURPOSE)))
                    .isFalse();
            assertThat(consumed(token)).isTrue();
        }
    }
}
