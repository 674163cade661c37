package io.oncegate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.oncegate.core.key.Scope;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.token.TokenRef;
import io.oncegate.core.token.TokenStore;
import io.oncegate.core.token.TokenStore.IssueAnswer;
import io.oncegate.core.token.WhenFull;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/** Random histories over two handles against the plain model. */
abstract class TokenHistoryChecks extends TokenRaceChecks {
    private static final int HISTORIES = 8;
    private static final int STEPS = 60;

    @Test
    void randomHistoriesAreAnsweredAsTheModelAnswersThem() {
        int histories = Integer.getInteger("oncegate.testkit.histories", HISTORIES);
        long seed = Long.getLong(
                "oncegate.testkit.seed", ThreadLocalRandom.current().nextLong(1L << 40));
        for (int i = 0; i < histories; i++) {
            new History(seed + i).run();
        }
    }

    /**
     * One history. A token lasts either longer than the history or is over before the next step, so that the answers do not
     * depend on how fast a real clock goes.
     */
    private final class History {
        private final long seed;
        private final Random random;
        private final TokenModel model = new TokenModel();
        private final List<Scope> subjects = List.of(someone(), someone());
        private final List<TokenRef> tokens = new ArrayList<>();
        private final List<AttemptId> attempts = List.of(AttemptId.random(), AttemptId.random(), AttemptId.random());
        private final List<String> trace = new ArrayList<>();

        History(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
        }

        void run() {
            issue();
            for (int step = 0; step < STEPS; step++) {
                switch (random.nextInt(8)) {
                    case 0, 1, 2 -> issue();
                    case 3 -> giveBack();
                    default -> consume();
                }
            }
        }

        private TokenStore handle() {
            return TokenHistoryChecks.this.handle(random.nextInt(2));
        }

        private void issue() {
            TokenRef token = tokenOf(subjects.get(random.nextInt(subjects.size())));
            boolean brief = random.nextInt(4) == 0;
            Duration ttl = brief ? SHORT : LONG.multipliedBy(1 + random.nextInt(2));
            int cap = 1 + random.nextInt(4);
            WhenFull whenFull = random.nextBoolean() ? WhenFull.DROP_OLDEST : WhenFull.REFUSE;
            backend().passTime(Duration.ofNanos(1_000));
            IssueAnswer answer = handle().issue(token, ttl, cap, whenFull);
            // The model's clock is read off the answer, so that both have the same ends.
            long now = answer instanceof IssueAnswer.Kept kept
                    ? kept.expiresAt() - ttl.toNanos() / 1_000
                    : backend().storeTimeMicros();
            IssueAnswer expected = model.issue(token, ttl, cap, whenFull, now);
            check("issue " + tokens.size() + " " + ttl + " cap " + cap + " " + whenFull, answer, expected);
            tokens.add(token);
            if (brief) {
                backend().passTime(SHORT.plusMillis(2));
            }
        }

        private TokenRef token() {
            // mostly one of the last: older ones have been dropped or used
            int back = random.nextInt(4) == 0 ? tokens.size() : Math.min(5, tokens.size());
            TokenRef token = tokens.get(tokens.size() - 1 - random.nextInt(back));
            return random.nextInt(10) == 0
                    ? TokenRef.of(token.id(), subjects.get(random.nextInt(2)), random.nextBoolean() ? PURPOSE : "else")
                    : token;
        }

        private AttemptId attempt() {
            return attempts.get(random.nextInt(attempts.size()));
        }

        private void consume() {
            TokenRef token = token();
            AttemptId attempt = attempt();
            boolean expected = model.consume(token, attempt, backend().storeTimeMicros());
            check("consume " + describe(token, attempt), handle().consume(token, attempt), expected);
        }

        private void giveBack() {
            TokenRef token = token();
            AttemptId attempt = attempt();
            boolean expected = model.giveBack(token, attempt, backend().storeTimeMicros());
            check("give back " + describe(token, attempt), handle().giveBack(token, attempt), expected);
        }

        private String describe(TokenRef token, AttemptId attempt) {
            return tokens.indexOf(token) + " by " + attempts.indexOf(attempt);
        }

        private void check(String question, Object answer, Object expected) {
            trace.add(question + " -> " + answer);
            assertThat(answer)
                    .as(
                            "history of seed %d; run it alone with -Doncegate.testkit.seed=%d"
                                    + " -Doncegate.testkit.histories=1%n%s",
                            seed, seed, String.join("\n", trace))
                    .isEqualTo(expected);
        }
    }
}
