package io.oncegate.core.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.oncegate.core.Oncegate;
import io.oncegate.core.Operation;
import io.oncegate.core.Outcome;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.Fingerprint;
import io.oncegate.core.key.Scope;
import io.oncegate.core.memory.MemoryRecordStore;
import io.oncegate.core.memory.MemoryTokenStore;
import io.oncegate.core.spi.AttemptId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OnceTokensTest {
    private static final Scope ALICE = Scope.of("alice");
    private static final Scope BOB = Scope.of("bob");
    private static final String CREATE = "order.create";
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration TEN_MINUTES = Duration.ofMinutes(10);
    private static final TokenSecret ONE = TokenSecret.of(1, bytes(1));
    private static final TokenSecret TWO = TokenSecret.of(2, bytes(2));

    /** The store's clock and the node's, in microseconds. */
    private final AtomicLong time = new AtomicLong(1_893_456_000_000_000L);

    private final AtomicLong nodeTime = new AtomicLong(time.get());
    private final CountingTokenStore store = new CountingTokenStore(new MemoryTokenStore(1_000, time::get));
    private final OnceTokens tokens = service().build();

    /** Counts what it is asked, and loses replies. */
    private static final class CountingTokenStore implements TokenStore {
        final AtomicInteger asked = new AtomicInteger();
        final AtomicInteger lost = new AtomicInteger();
        private final TokenStore store;

        CountingTokenStore(TokenStore store) {
            this.store = store;
        }

        @Override
        public String name() {
            return "counting";
        }

        private <A> A reply(A answer) {
            asked.incrementAndGet();
            if (lost.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                throw new StoreUnavailableException(name(), "the reply is lost; ask again", null);
            }
            return answer;
        }

        @Override
        public IssueAnswer issue(TokenRef token, Duration ttl, int cap, WhenFull whenFull) {
            return reply(store.issue(token, ttl, cap, whenFull));
        }

        @Override
        public boolean consume(TokenRef token, AttemptId attempt) {
            return reply(store.consume(token, attempt));
        }

        @Override
        public boolean giveBack(TokenRef token, AttemptId attempt) {
            return reply(store.giveBack(token, attempt));
        }
    }

    private static byte[] bytes(int seed) {
        byte[] bytes = new byte[TokenSecret.MIN_BYTES];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private OnceTokens.Builder service() {
        return service(ONE);
    }

    private OnceTokens.Builder service(TokenSecret secret) {
        return OnceTokens.signedWith(secret)
                .store(store)
                .clock(() -> Instant.ofEpochMilli(Math.floorDiv(nodeTime.get(), 1000)));
    }

    private static String issued(OnceTokens by, TokenMode mode) {
        return ((TokenIssue.Issued) by.issue(ALICE, CREATE, mode)).token();
    }

    private TokenUse use(String token) {
        return tokens.use(token, ALICE, CREATE, DAY);
    }

    private static TokenUse refused(TokenRefusal reason) {
        return new TokenUse.Refused(reason);
    }

    private void pass(Duration duration) {
        time.addAndGet(duration.toNanos() / 1000);
        nodeTime.addAndGet(duration.toNanos() / 1000);
    }

    @Test
    void aReplayTokenIsTheRequestsKeyEachTime() {
        String token = issued(tokens, TokenMode.REPLAY);
        TokenUse.Replay first = (TokenUse.Replay) use(token);
        assertThat(use(token)).isEqualTo(first);
        assertThat(first.limit()).isEqualTo(TEN_MINUTES);
        assertThat(first.bornAt()).isEqualTo(Instant.ofEpochMilli(nodeTime.get() / 1000));
        assertThat(first.key()).hasSize(36);
        assertThat(store.asked).as("nothing is stored").hasValue(0);
    }

    @Test
    void aStrictTokenIsConsumedOnce() {
        String token = issued(tokens, TokenMode.STRICT);
        assertThat(use(token)).isInstanceOf(TokenUse.Consumed.class);
        assertThat(use(token)).isEqualTo(refused(TokenRefusal.USED));
    }

    @Test
    @DisplayName("C02b: whatever is no token is refused before any store is asked, and the good one still works")
    void malformedTextIsRefusedWithoutAStore() {
        String good = issued(tokens, TokenMode.STRICT);
        int before = store.asked.get();
        List<String> bad = new ArrayList<>(List.of(
                "",
                " ",
                good + "=",
                " " + good,
                good + "\n",
                good.substring(1),
                good + "A",
                "x".repeat(10_240),
                "\u8ba2\u5355",
                "\u8ba2".repeat(good.length()),
                "{}",
                good.replace(good.charAt(5), '+'),
                good.replace(good.charAt(5), '/')));
        // Another version, another mode, and the bits of the last character that stand for nothing.
        bad.add(changed(good, 0, 2));
        bad.add(changed(good, 2, 0));
        bad.add(changed(good, 2, 3));
        String alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        int last = alphabet.indexOf(good.charAt(good.length() - 1));
        for (int spare = 1; spare < 4; spare++) {
            bad.add(good.substring(0, good.length() - 1) + alphabet.charAt(last + spare));
        }
        for (String text : bad) {
            assertThat(use(text)).isEqualTo(refused(TokenRefusal.MALFORMED));
        }
        assertThat(store.asked).hasValue(before);
        assertThat(use(good)).isInstanceOf(TokenUse.Consumed.class);
    }

    private static String changed(String token, int position, int value) {
        byte[] bytes = Base64.getUrlDecoder().decode(token);
        bytes[position] = (byte) value;
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    @ParameterizedTest
    @EnumSource(TokenMode.class)
    void noBitOfATokenCanBeChanged(TokenMode mode) {
        String good = issued(tokens, mode);
        int before = store.asked.get();
        byte[] bytes = Base64.getUrlDecoder().decode(good);
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] other = bytes.clone();
            other[bit / 8] ^= (byte) (1 << bit % 8);
            TokenUse answer = use(Base64.getUrlEncoder().withoutPadding().encodeToString(other));
            assertThat(answer).isIn(refused(TokenRefusal.FOREIGN), refused(TokenRefusal.MALFORMED));
        }
        assertThat(store.asked).hasValue(before);
    }

    @ParameterizedTest
    @EnumSource(TokenMode.class)
    void aTokenIsOfItsSubjectAndPurposeAlone(TokenMode mode) {
        String token = issued(tokens, mode);
        int before = store.asked.get();
        assertThat(tokens.use(token, BOB, CREATE, DAY)).isEqualTo(refused(TokenRefusal.FOREIGN));
        assertThat(tokens.use(token, Scope.of("alice", "x"), CREATE, DAY)).isEqualTo(refused(TokenRefusal.FOREIGN));
        assertThat(tokens.use(token, Scope.of("Alice"), CREATE, DAY)).isEqualTo(refused(TokenRefusal.FOREIGN));
        assertThat(tokens.use(token, Scope.global(), CREATE, DAY)).isEqualTo(refused(TokenRefusal.FOREIGN));
        assertThat(tokens.use(token, ALICE, "order.cancel", DAY)).isEqualTo(refused(TokenRefusal.FOREIGN));
        assertThat(store.asked).hasValue(before);
        assertThat(use(token)).isNotInstanceOf(TokenUse.Refused.class);
    }

    @Test
    void partsOfSubjectAndPurposeCannotBeMovedAcrossTheirBorders() {
        String token = ((TokenIssue.Issued) tokens.issue(Scope.of("ab", "c"), "d", TokenMode.REPLAY)).token();
        for (Scope other : List.of(Scope.of("a", "bc"), Scope.of("abc"), Scope.of("ab", "c", "d"), Scope.of("ab"))) {
            for (String purpose : List.of("d", "cd", "abcd")) {
                assertThat(tokens.use(token, other, purpose, DAY)).isEqualTo(refused(TokenRefusal.FOREIGN));
            }
        }
    }

    @Test
    void olderSecretsAreAcceptedAsLongAsTheyAreNamed() {
        String old = issued(tokens, TokenMode.STRICT);
        OnceTokens rotated = service(TWO).accepting(ONE).build();
        assertThat(rotated.use(old, ALICE, CREATE, DAY)).isInstanceOf(TokenUse.Consumed.class);
        String fresh = issued(rotated, TokenMode.STRICT);
        assertThat(use(fresh)).as("a node that does not know the new one").isEqualTo(refused(TokenRefusal.FOREIGN));
        OnceTokens prepared = service(ONE).accepting(TWO).build();
        assertThat(prepared.use(fresh, ALICE, CREATE, DAY)).isInstanceOf(TokenUse.Consumed.class);
        OnceTokens later = service(TWO).build();
        assertThat(later.use(issued(tokens, TokenMode.REPLAY), ALICE, CREATE, DAY))
                .isEqualTo(refused(TokenRefusal.FOREIGN));
        OnceTokens sameNumber = service(TokenSecret.of(1, bytes(9))).build();
        assertThat(sameNumber.use(issued(tokens, TokenMode.REPLAY), ALICE, CREATE, DAY))
                .isEqualTo(refused(TokenRefusal.FOREIGN));
    }

    @Test
    void aStrictTokenEndsByTheStoresClock() {
        String token = issued(tokens, TokenMode.STRICT);
        nodeTime.addAndGet(Duration.ofMinutes(14).toNanos() / 1000);
        assertThat(use(token)).as("this node's clock is 14 minutes ahead").isInstanceOf(TokenUse.Consumed.class);

        nodeTime.set(time.get());
        String late = issued(tokens, TokenMode.STRICT);
        time.addAndGet(TEN_MINUTES.toNanos() / 1000);
        assertThat(use(late)).as("this node's clock is 10 minutes behind").isInstanceOf(TokenUse.Refused.class);
        nodeTime.set(time.get());
        assertThat(use(late)).isEqualTo(refused(TokenRefusal.EXPIRED));
    }

    @Test
    void aStrictTokenThatIsOverByAnyClockSparesTheStore() {
        String token = issued(tokens, TokenMode.STRICT);
        int before = store.asked.get();
        pass(TEN_MINUTES.plus(OnceTokens.DEFAULT_CLOCK_TOLERANCE));
        assertThat(use(token)).isEqualTo(refused(TokenRefusal.EXPIRED));
        assertThat(store.asked).hasValue(before);
    }

    @Test
    void anExpiredReplayTokenIsAnsweredByItsRecordAndNeverRun() {
        Operation<String> create =
                Operation.named(CREATE).returning(String.class).build();
        MemoryRecordStore records = new MemoryRecordStore(100, 10_000, time::get, Duration.ofMinutes(1));
        String used = issued(tokens, TokenMode.REPLAY);
        String unused = issued(tokens, TokenMode.REPLAY);
        AtomicInteger runs = new AtomicInteger();
        try (Oncegate once = Oncegate.claimed(records).build()) {
            assertThat(run(once, create, used, runs)).isEqualTo(new Outcome.Executed<>("run 1"));
            pass(TEN_MINUTES);
            assertThat(run(once, create, used, runs)).isEqualTo(new Outcome.Replayed<>("run 1"));
            assertThat(run(once, create, unused, runs)).isInstanceOf(Outcome.Expired.class);
            pass(Duration.ofHours(23));
            assertThat(run(once, create, used, runs)).isEqualTo(new Outcome.Replayed<>("run 1"));
            pass(Duration.ofHours(1));
            assertThat(run(once, create, used, runs)).as("its record has gone").isInstanceOf(Outcome.Expired.class);
        }
        assertThat(runs).hasValue(1);
        pass(TEN_MINUTES);
        assertThat(use(used)).as("after expiry and retention").isEqualTo(refused(TokenRefusal.EXPIRED));
    }

    private Outcome<String> run(Oncegate once, Operation<String> operation, String token, AtomicInteger runs) {
        TokenUse.Replay replay = (TokenUse.Replay) use(token);
        return once.run(
                replay.limited(operation.call(ALICE, replay.key(), Fingerprint.none())),
                claim -> "run " + runs.incrementAndGet());
    }

    @Test
    void aShortRetentionNarrowsTheLimit() {
        TokenUse.Replay replay = (TokenUse.Replay) use(issued(tokens, TokenMode.REPLAY));
        for (Duration retention : List.of(Duration.ofMillis(1), Duration.ofMinutes(2), Duration.ofMinutes(11))) {
            Operation<Void> brief = Operation.named(CREATE).retention(retention).build();
            var birth = replay.limited(brief.call(ALICE, replay.key(), Fingerprint.none()))
                    .birth();
            assertThat(birth).isNotNull();
            assertThat(birth.limit()).isBetween(Duration.ofMillis(1), TEN_MINUTES);
            assertThat(birth.limit().plus(birth.tolerance())).isEqualTo(retention);
        }
    }

    @Test
    @DisplayName("C88: a lost reply to a use is asked for once more, and the token is still this use's")
    void aLostReplyIsAskedForAgain() {
        String token = issued(tokens, TokenMode.STRICT);
        store.lost.set(1);
        assertThat(use(token)).isInstanceOf(TokenUse.Consumed.class);
        assertThat(use(token)).isEqualTo(refused(TokenRefusal.USED));
        String other = issued(tokens, TokenMode.STRICT);
        store.lost.set(2);
        assertThatThrownBy(() -> use(other)).isInstanceOf(StoreUnavailableException.class);
        assertThat(use(other)).as("burnt: nobody knows").isEqualTo(refused(TokenRefusal.USED));
    }

    @Test
    @DisplayName("C05: a token is given back where that is configured, and by the use that consumed it")
    void aTokenIsGivenBackByChoice() {
        String kept = issued(tokens, TokenMode.STRICT);
        assertThat(tokens.giveBack((TokenUse.Consumed) use(kept), CREATE)).isFalse();
        assertThat(use(kept)).isEqualTo(refused(TokenRefusal.USED));

        OnceTokens giving = service().giveBackOnFailure(CREATE).build();
        String token = issued(giving, TokenMode.STRICT);
        TokenUse.Consumed first = (TokenUse.Consumed) use(token);
        assertThat(giving.giveBack(first, "order.cancel")).isFalse();
        assertThat(giving.giveBack(first, CREATE)).isTrue();
        TokenUse.Consumed second = (TokenUse.Consumed) use(token);
        assertThat(giving.giveBack(first, CREATE)).isFalse();
        assertThat(service().giveBackOnFailure().build().giveBack(second, CREATE))
                .isTrue();
    }

    @Test
    void theCapIsByChoice() {
        OnceTokens careful = service().cap(2, WhenFull.REFUSE).build();
        issued(careful, TokenMode.STRICT);
        issued(careful, TokenMode.STRICT);
        assertThat(careful.issue(ALICE, CREATE, TokenMode.STRICT)).isEqualTo(new TokenIssue.Full(2));
        assertThat(careful.issue(BOB, CREATE, TokenMode.STRICT)).isInstanceOf(TokenIssue.Issued.class);
        assertThat(careful.issue(ALICE, CREATE, TokenMode.REPLAY)).isInstanceOf(TokenIssue.Issued.class);
    }

    @Test
    @DisplayName("C20: times that make no sense are refused when configuring")
    void senselessSettingsAreRefused() {
        for (Duration senseless : Arrays.asList(
                null,
                Duration.ZERO,
                Duration.ofSeconds(-1),
                Duration.ofNanos(999_999),
                DAY.plusMillis(1),
                Duration.ofMillis(Long.MAX_VALUE),
                Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatThrownBy(() -> service().ttl(senseless))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("1 ms to PT24H");
        }
        assertThatThrownBy(() -> service().cap(0, WhenFull.REFUSE)).hasMessageContaining("1 to 10000, not 0");
        assertThatThrownBy(() -> service().clockTolerance(Duration.ofHours(2))).hasMessageContaining("0 to 1 hour");
        assertThatThrownBy(() -> service().accepting(TokenSecret.of(1, bytes(3))))
                .hasMessageContaining("number 1");
        assertThatThrownBy(() -> TokenSecret.of(256, bytes(3))).hasMessageContaining("0 to 255");
        for (String purpose : new String[] {null, "", " ", "\ud83c"}) {
            assertThatThrownBy(() -> tokens.issue(ALICE, purpose, TokenMode.REPLAY))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        OnceTokens storeless = OnceTokens.signedWith(ONE).build();
        assertThat(storeless.modes()).containsExactly(TokenMode.REPLAY);
        assertThatThrownBy(() -> storeless.issue(ALICE, CREATE, TokenMode.STRICT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("give OnceTokens a TokenStore");
        assertThat(storeless.use(issued(tokens, TokenMode.STRICT), ALICE, CREATE, DAY))
                .isEqualTo(refused(TokenRefusal.USED));
    }

    @Test
    void shortTimesAreKeptToTheMillisecond() {
        OnceTokens brief = service().ttl(Duration.ofMillis(1)).build();
        String token = issued(brief, TokenMode.STRICT);
        pass(Duration.ofNanos(999_000));
        assertThat(use(token)).isInstanceOf(TokenUse.Consumed.class);
        String other = issued(brief, TokenMode.STRICT);
        pass(Duration.ofMillis(1));
        assertThat(use(other)).isEqualTo(refused(TokenRefusal.EXPIRED));
    }

    @Test
    void weakSecretsAreRefusedAndNothingSecretIsShown() {
        assertThatThrownBy(() -> TokenSecret.of(1, new byte[31])).hasMessageContaining("has 31 bytes; take 32 or more");
        String token = issued(tokens, TokenMode.STRICT);
        TokenUse consumed = use(token);
        assertThat(ONE).hasToString("TokenSecret[1]");
        String shown = tokens.issue(ALICE, CREATE, TokenMode.REPLAY) + " " + consumed + " "
                + use(issued(tokens, TokenMode.REPLAY));
        assertThat(shown).doesNotContain(token, "alice").doesNotContainPattern("[0-9a-f]{8}-[0-9a-f]{4}-7");
    }

    @Test
    void thePageOnTokensIsRight() {
        byte[] secret = bytes(7);
        TokenStore tokenStore = store;
        // snippet: tokens
        OnceTokens service = OnceTokens.signedWith(TokenSecret.of(1, secret))
                .store(tokenStore) // for strict tokens alone
                .ttl(Duration.ofMinutes(10))
                .build();

        TokenIssue issue = service.issue(Scope.of("alice"), "order.create", TokenMode.STRICT);
        String token = ((TokenIssue.Issued) issue).token();

        TokenUse use = service.use(token, Scope.of("alice"), "order.create", Operation.DEFAULT_RETENTION);
        if (use instanceof TokenUse.Consumed) {
            // this use alone may go on
        }
        // end snippet
        assertThat(use).isInstanceOf(TokenUse.Consumed.class);
    }
}
