package io.oncegate.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.event.command.CommandListener;
import io.lettuce.core.event.command.CommandStartedEvent;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.Scope;
import io.oncegate.core.key.UuidV7;
import io.oncegate.core.spi.AttemptId;
import io.oncegate.core.token.OnceTokens;
import io.oncegate.core.token.TokenIssue;
import io.oncegate.core.token.TokenMode;
import io.oncegate.core.token.TokenRef;
import io.oncegate.core.token.TokenRefusal;
import io.oncegate.core.token.TokenSecret;
import io.oncegate.core.token.TokenStore.IssueAnswer;
import io.oncegate.core.token.TokenUse;
import io.oncegate.core.token.WhenFull;
import io.oncegate.testkit.DuplicateStorm;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.RedisServer;
import io.oncegate.testsupport.RedisServers;
import io.oncegate.testsupport.TcpFault;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Cases from practice with tokens in Redis. */
class RedisTokenCasesIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String PURPOSE = "order.create";
    private static final Duration LONG = Duration.ofMinutes(10);

    @AutoClose
    private final Handles handles = new Handles();

    private final RedisServer server = RedisServers.standalone();

    private static Scope someone() {
        return Scope.of("subject " + UUID.randomUUID());
    }

    private static TokenRef tokenOf(Scope subject) {
        return TokenRef.of(UuidV7.next(), subject, PURPOSE);
    }

    private RedisTokenStore store() {
        return new RedisTokenStore(handles.backend(server.uri(), Handles.OPTIONS));
    }

    private static TokenRef issued(RedisTokenStore store) {
        TokenRef token = tokenOf(someone());
        assertThat(store.issue(token, LONG, 100, WhenFull.DROP_OLDEST)).isInstanceOf(IssueAnswer.Kept.class);
        return token;
    }

    private static OnceTokens service(RedisTokenStore store, Duration ttl) {
        return OnceTokens.signedWith(TokenSecret.of(1, new byte[32]))
                .store(store)
                .ttl(ttl)
                .giveBackOnFailure()
                .build();
    }

    @Test
    @DisplayName("C01: 5 ms between any two commands change nothing, for a use is one command")
    void aDelayBetweenCommandsChangesNothing() {
        AtomicInteger commands = new AtomicInteger();
        RedisClient client = handles.client(server.uri());
        client.addListener(new CommandListener() {
            @Override
            public void commandStarted(CommandStartedEvent event) {
                commands.incrementAndGet();
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
        });
        RedisTokenStore slow =
                new RedisTokenStore(RedisBackend.of(client.connect(ByteArrayCodec.INSTANCE), Handles.OPTIONS));
        slow.consume(issued(slow), AttemptId.random());
        for (int round = 0; round < 20; round++) {
            TokenRef token = issued(slow);
            int before = commands.get();
            List<Boolean> answers = DuplicateStorm.of(64, () -> slow.consume(token, AttemptId.random()))
                    .allReturned();
            assertThat(answers.stream().filter(passed -> passed)).hasSize(1);
            assertThat(commands.get() - before).isEqualTo(64);
        }
    }

    @Test
    @DisplayName("C02b: bad tokens are refused without asking Redis, and the good one still works")
    void badTokensChangeNothing() {
        OnceTokens tokens = service(store(), LONG);
        Scope alice = someone();
        String good = ((TokenIssue.Issued) tokens.issue(alice, PURPOSE, TokenMode.STRICT)).token();
        for (String bad :
                List.of("", "x".repeat(10_240), "\u8ba2\u5355", good + "=", good.substring(1), "Bearer " + good)) {
            assertThat(tokens.use(bad, alice, PURPOSE, LONG)).isEqualTo(new TokenUse.Refused(TokenRefusal.MALFORMED));
        }
        assertThat(tokens.use(good, someone(), PURPOSE, LONG)).isEqualTo(new TokenUse.Refused(TokenRefusal.FOREIGN));
        assertThat(tokens.use(good, alice, PURPOSE, LONG)).isInstanceOf(TokenUse.Consumed.class);
        assertThat(tokens.use(good, alice, PURPOSE, LONG)).isEqualTo(new TokenUse.Refused(TokenRefusal.USED));
    }

    @Test
    @DisplayName("C05: consumed first, given back by its use alone, and burnt where the use has died")
    void aTokenIsConsumedFirstAndGivenBackByItsUseAlone() {
        OnceTokens tokens = service(store(), LONG);
        OnceTokens otherProcess = service(store(), LONG);
        Scope alice = someone();
        String token = ((TokenIssue.Issued) tokens.issue(alice, PURPOSE, TokenMode.STRICT)).token();
        TokenUse.Consumed first = (TokenUse.Consumed) tokens.use(token, alice, PURPOSE, LONG);
        assertThat(otherProcess.use(token, alice, PURPOSE, LONG))
                .as("while the first one runs")
                .isEqualTo(new TokenUse.Refused(TokenRefusal.USED));
        assertThat(tokens.giveBack(first, PURPOSE)).isTrue();
        assertThat(otherProcess.use(token, alice, PURPOSE, LONG))
                .as("after the first one has failed")
                .isInstanceOf(TokenUse.Consumed.class);
        assertThat(tokens.giveBack(first, PURPOSE)).as("late").isFalse();
        // The second use dies here: nobody gives the token back.
        assertThat(tokens.use(token, alice, PURPOSE, LONG)).isEqualTo(new TokenUse.Refused(TokenRefusal.USED));
    }

    @Test
    @DisplayName("C20: no key of tokens is ever without a time to live, and short times are honoured")
    void noKeyIsEverWithoutTimeToLive() {
        RedisTokenStore store = store();
        RedisCommands<byte[], byte[]> redis =
                handles.client(server.uri()).connect(ByteArrayCodec.INSTANCE).sync();
        Random random = new Random(20);
        for (int i = 0; i < 200; i++) {
            TokenRef token = tokenOf(someone());
            Duration ttl = List.of(Duration.ofMillis(1), Duration.ofMillis(500), LONG, OnceTokens.MAX_TTL)
                    .get(random.nextInt(4));
            AttemptId attempt = AttemptId.random();
            store.issue(tokenOf(someone()), ttl, 3, WhenFull.DROP_OLDEST);
            store.issue(token, ttl, 3, WhenFull.DROP_OLDEST);
            byte[] unused = store.unusedKey(token);
            byte[] used = RedisTokenStore.usedKey(unused);
            assertLives(redis, unused, ttl);
            store.consume(token, attempt);
            assertLives(redis, used, ttl);
            if (random.nextBoolean()) {
                store.giveBack(token, attempt);
                assertLives(redis, unused, ttl);
            }
        }
        TokenRef brief = tokenOf(someone());
        store.issue(brief, Duration.ofMillis(1), 3, WhenFull.DROP_OLDEST);
        Await.until("gone", PATIENCE, () -> redis.exists(store.unusedKey(brief)) == 0);
    }

    private static void assertLives(RedisCommands<byte[], byte[]> redis, byte[] key, Duration atMost) {
        // -2: there is no such key
        assertThat(redis.pttl(key)).isNotEqualTo(-1).isLessThanOrEqualTo(atMost.toMillis() + 2);
    }

    @Test
    @DisplayName("C21: every step works although the server has lost its scripts")
    void everyStepSurvivesAFlush() throws IOException {
        RedisTokenStore store = store();
        TokenRef token = tokenOf(someone());
        AttemptId attempt = AttemptId.random();
        server.send("SCRIPT FLUSH");
        assertThat(store.issue(token, LONG, 1, WhenFull.DROP_OLDEST)).isInstanceOf(IssueAnswer.Kept.class);
        server.send("SCRIPT FLUSH");
        assertThat(store.consume(token, attempt)).isTrue();
        server.send("SCRIPT FLUSH");
        assertThat(store.giveBack(token, attempt)).isTrue();
    }

    @Test
    @DisplayName("C22: both keys of a subject are in one slot, whatever the subject is called")
    void bothKeysOfASubjectAreInOneSlot() {
        RedisTokenStore store = new RedisTokenStore(handles.backend(RedisServers.cluster(), Handles.OPTIONS));
        for (int i = 0; i < 1_000; i++) {
            String odd = List.of("{a}", "}{", "{", "a b:c", "\u8ba2\u5355", "{}{" + i + "}")
                    .get(i % 6);
            TokenRef token =
                    TokenRef.of(UuidV7.next(), Scope.of(odd, UUID.randomUUID().toString()), odd);
            byte[] unused = store.unusedKey(token);
            assertThat(SlotHash.getSlot(RedisTokenStore.usedKey(unused))).isEqualTo(SlotHash.getSlot(unused));
            AttemptId attempt = AttemptId.random();
            store.issue(token, LONG, 1, WhenFull.DROP_OLDEST);
            assertThat(store.consume(token, attempt)).isTrue();
            assertThat(store.giveBack(token, attempt)).isTrue();
        }
    }

    @Test
    @DisplayName("C88: a lost reply is asked for again by the same attempt, and a dead line ends in bounded time")
    void aLostReplyIsAskedForAgain() {
        try (TcpFault line = TcpFault.to(server)) {
            RedisURI uri = RedisURI.create(line.host(), line.port());
            RedisTokenStore through = new RedisTokenStore(RedisBackend.of(
                    handles.client(uri).connect(ByteArrayCodec.INSTANCE),
                    RedisOptions.defaults().withTimeout(Duration.ofMillis(400))));
            RedisTokenStore direct = store();
            TokenRef token = issued(direct);
            AttemptId attempt = AttemptId.random();
            line.loseReplies();
            assertThatThrownBy(() -> through.consume(token, attempt)).isInstanceOf(StoreUnavailableException.class);
            RedisCommands<byte[], byte[]> redis = handles.client(server.uri())
                    .connect(ByteArrayCodec.INSTANCE)
                    .sync();
            Await.until(
                    "the request has come through",
                    PATIENCE,
                    () -> redis.zcard(RedisTokenStore.usedKey(direct.unusedKey(token))) == 1);
            assertThat(direct.consume(token, AttemptId.random())).isFalse();
            line.passReplies();
            line.reset();
            Await.until("connected again", PATIENCE, () -> through.consume(token, attempt));
            line.freeze();
            assertThatThrownBy(() -> through.giveBack(token, attempt)).isInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(() -> through.issue(token, LONG, 1, WhenFull.REFUSE))
                    .isInstanceOf(StoreUnavailableException.class);
            line.unfreeze();
        }
    }

    @Test
    void aRedisThatHasLostEverythingRefusesAllTokens() throws IOException {
        try (RedisServer own = RedisServers.own()) {
            OnceTokens tokens = service(new RedisTokenStore(handles.backend(own.uri(), Handles.OPTIONS)), LONG);
            Scope alice = someone();
            String used = ((TokenIssue.Issued) tokens.issue(alice, PURPOSE, TokenMode.STRICT)).token();
            String unused = ((TokenIssue.Issued) tokens.issue(alice, PURPOSE, TokenMode.STRICT)).token();
            assertThat(tokens.use(used, alice, PURPOSE, LONG)).isInstanceOf(TokenUse.Consumed.class);
            own.send("FLUSHALL");
            for (String token : List.of(used, unused)) {
                assertThat(tokens.use(token, alice, PURPOSE, LONG)).isEqualTo(new TokenUse.Refused(TokenRefusal.USED));
            }
        }
    }
}
