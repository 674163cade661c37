package io.oncegate.testkit;

import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.token.TokenRef;
import io.oncegate.core.token.WhenFull;
import io.oncegate.testkit.TokenMutant.Gap;
import java.util.Arrays;
import java.util.Comparator;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A guard of the token stores, and the model that breaks it.
 *
 * @param guard what has to hold
 * @param change what the broken store does instead
 * @param gap where the store is not atomic
 * @param model makes the model
 */
record BrokenTokens(String guard, String change, Gap gap, Supplier<TokenModel> model) {
    static BrokenTokens none() {
        return new BrokenTokens("", "", Gap.NONE, TokenModel::new);
    }

    private static BrokenTokens of(String guard, String change, Supplier<TokenModel> model) {
        return new BrokenTokens(guard, change, Gap.NONE, model);
    }

    static Stream<BrokenTokens> all() {
        return Stream.of(
                new BrokenTokens("consuming is one step", "looked up, then taken", Gap.CONSUME, TokenModel::new),
                new BrokenTokens("issuing is one step", "counted, then added", Gap.ISSUE, TokenModel::new),
                of("a used token is used", "consumed again", () -> new TokenModel() {
                    @Override
                    boolean mayConsume(Row row, AttemptId attempt) {
                        return true;
                    }
                }),
                of("the same attempt is told so again", "refused", () -> new TokenModel() {
                    @Override
                    boolean mayConsume(Row row, AttemptId attempt) {
                        return row.unused();
                    }
                }),
                of("given back by its consumer alone", "by everybody", () -> new TokenModel() {
                    @Override
                    boolean mayGiveBack(Row row, AttemptId attempt) {
                        return !row.unused();
                    }
                }),
                of("given back once", "an unused token is told as given back", () -> new TokenModel() {
                    @Override
                    boolean mayGiveBack(Row row, AttemptId attempt) {
                        return row.unused() || super.mayGiveBack(row, attempt);
                    }
                }),
                of("what is given back is unused", "stays its attempt's", () -> new TokenModel() {
                    @Override
                    Row givenBack(Row row, long now) {
                        return row;
                    }
                }),
                of("what is given back keeps its end", "gets a new one", () -> new TokenModel() {
                    @Override
                    Row givenBack(Row row, long now) {
                        return new Row(row.token(), now + 600_000_000L, null);
                    }
                }),
                of("a token ends", "never", () -> new TokenModel() {
                    @Override
                    boolean isOver(Row row, long now) {
                        return false;
                    }
                }),
                of("a token with no time left is over", "one microsecond later", () -> new TokenModel() {
                    @Override
                    boolean isOver(Row row, long now) {
                        return row.expiresAt() < now;
                    }
                }),
                of("times are kept to the millisecond", "cut to seconds", () -> new TokenModel() {
                    @Override
                    boolean isOver(Row row, long now) {
                        return row.expiresAt() / 1_000_000 <= now / 1_000_000;
                    }
                }),
                of("a used token ends", "remembered for ever", () -> new TokenModel() {
                    @Override
                    boolean isOver(Row row, long now) {
                        return row.unused() && super.isOver(row, now);
                    }
                }),
                of("the subject is compared", "not compared", () -> new TokenModel() {
                    @Override
                    boolean isSame(Row row, TokenRef asked) {
                        return row.token().id().equals(asked.id())
                                && Arrays.equals(row.token().purpose(), asked.purpose());
                    }
                }),
                of("the purpose is compared", "not compared", () -> new TokenModel() {
                    @Override
                    boolean isSame(Row row, TokenRef asked) {
                        return row.token().id().equals(asked.id()) && sameSubject(row.token(), asked);
                    }
                }),
                of("the id is compared", "any token of the subject will do", () -> new TokenModel() {
                    @Override
                    boolean isSame(Row row, TokenRef asked) {
                        return sameSubject(row.token(), asked)
                                && Arrays.equals(row.token().purpose(), asked.purpose());
                    }
                }),
                of("the cap", "none", () -> new TokenModel() {
                    @Override
                    boolean countsToCap(Row row) {
                        return false;
                    }
                }),
                of("used tokens do not count", "they count", () -> new TokenModel() {
                    @Override
                    boolean countsToCap(Row row) {
                        return true;
                    }
                }),
                of("the oldest goes", "the newest goes", () -> new TokenModel() {
                    @Override
                    Comparator<Row> order() {
                        return super.order().reversed();
                    }
                }),
                of("the oldest is the first to expire", "the first that was issued", () -> new TokenModel() {
                    @Override
                    Comparator<Row> order() {
                        return Comparator.comparing(Row::unused);
                    }
                }),
                of("refusing at the cap", "dropped all the same", () -> new TokenModel() {
                    @Override
                    boolean refuses(WhenFull whenFull) {
                        return false;
                    }
                }),
                of("dropping at the cap", "refused all the same", () -> new TokenModel() {
                    @Override
                    boolean refuses(WhenFull whenFull) {
                        return true;
                    }
                }),
                of("used tokens are bounded", "all are remembered", () -> new TokenModel() {
                    @Override
                    void forgetUsed(TokenRef token) {}
                }));
    }

    @Override
    public String toString() {
        return guard + ": " + change;
    }
}
