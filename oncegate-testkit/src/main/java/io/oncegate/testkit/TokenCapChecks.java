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
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How many tokens a subject may have. */
abstract class TokenCapChecks extends TokenUseChecks {
    private IssueAnswer refusing(Scope subject) {
        return twin().issue(tokenOf(subject), LONG, CAP, WhenFull.REFUSE);
    }

    private List<TokenRef> full(Scope subject) {
        List<TokenRef> tokens = new ArrayList<>();
        for (int i = 0; i < CAP; i++) {
            tokens.add(issued(subject));
        }
        return tokens;
    }

    @Test
    void atTheCapTheOldestUnusedTokenIsDropped() {
        Scope subject = someone();
        List<TokenRef> tokens = full(subject);
        tokens.add(issued(subject));
        tokens.add(issued(subject));
        assertThat(tokens.stream().map(this::consumed)).containsExactly(false, false, true, true, true, true, true);
    }

    @Test
    void theOldestIsTheOneThatExpiresFirst() {
        Scope subject = someone();
        TokenRef longest = issued(tokenOf(subject), LONG.multipliedBy(2));
        List<TokenRef> others = full(subject);
        others.add(issued(subject));
        assertThat(consumed(longest)).isTrue();
        assertThat(others.stream().filter(this::consumed)).hasSize(CAP - 1);
    }

    @Test
    void atTheCapIssuingIsRefusedByChoice() {
        Scope subject = someone();
        List<TokenRef> tokens = full(subject);
        assertThat(refusing(subject)).isEqualTo(new IssueAnswer.Full());
        assertThat(refusing(someone())).isInstanceOf(IssueAnswer.Kept.class);
        assertThat(consumed(tokens.get(0))).isTrue();
        assertThat(refusing(subject)).as("used ones do not count").isInstanceOf(IssueAnswer.Kept.class);
        assertThat(refusing(subject)).isEqualTo(new IssueAnswer.Full());
        assertThat(tokens.stream().skip(1)).allMatch(this::consumed);
    }

    @Test
    void expiredTokensDoNotCount() {
        Scope subject = someone();
        TokenRef good = issued(subject);
        for (int i = 1; i < CAP; i++) {
            issued(tokenOf(subject), SHORT);
        }
        backend().passTime(SHORT.plusMillis(3));
        assertThat(refusing(subject)).isInstanceOf(IssueAnswer.Kept.class);
        assertThat(kept(good)).isEqualTo(2);
        assertThat(consumed(good)).isTrue();
    }

    @Test
    void aTokenThatIsGivenBackCountsAtTheNextIssue() {
        Scope subject = someone();
        TokenRef token = issued(subject);
        AttemptId attempt = AttemptId.random();
        store().consume(token, attempt);
        List<TokenRef> others = full(subject);
        assertThat(store().giveBack(token, attempt)).isTrue();
        assertThat(refusing(subject)).isEqualTo(new IssueAnswer.Full());
        others.add(issued(subject));
        assertThat(consumed(token)).isFalse();
        assertThat(others.stream().filter(this::consumed)).hasSize(CAP);
    }

    @Test
    void aCapOfOneLeavesTheNewest() {
        Scope subject = someone();
        List<TokenRef> tokens = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            tokens.add(tokenOf(subject));
            backend().passTime(Duration.ofNanos(1_000));
            store().issue(tokens.get(i), LONG, 1, WhenFull.DROP_OLDEST);
        }
        assertThat(tokens.stream().map(this::consumed)).containsExactly(false, false, true);
    }

    @Test
    @DisplayName("C02c: one subject asks for very many tokens without using any, and what is kept stays bounded")
    void veryManyTokensOfOneSubjectStayBounded() {
        Scope subject = someone();
        int issues = abilities().manyIssues();
        int threads = 4;
        DuplicateStorm.of(threads, Duration.ofMinutes(5), copy -> () -> {
                    for (int i = copy; i < issues; i += threads) {
                        handle(copy).issue(tokenOf(subject), LONG, 100, WhenFull.DROP_OLDEST);
                    }
                    return copy;
                })
                .allReturned();
        assertThat(kept(tokenOf(subject))).isEqualTo(100);
    }

    @Test
    void veryManyUsesOfOneSubjectStayBounded() {
        Scope subject = someone();
        AttemptId attempt = AttemptId.random();
        List<TokenRef> tokens = new ArrayList<>();
        for (int i = 0; i < TokenStore.MAX_USED + 4 * CAP; i++) {
            tokens.add(issued(subject));
            assertThat(store().consume(tokens.get(i), attempt)).isTrue();
        }
        issued(subject);
        assertThat(kept(tokenOf(subject))).isLessThanOrEqualTo(TokenStore.MAX_USED + CAP);
        assertThat(consumed(tokens.get(0))).as("forgotten is refused").isFalse();
        assertThat(store().consume(tokens.get(tokens.size() - 1), attempt)).isTrue();
    }
}
