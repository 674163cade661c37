package io.oncegate.proof;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.oncegate.core.Operation;
import io.oncegate.core.key.Scope;
import io.oncegate.core.token.OnceTokens;
import io.oncegate.core.token.TokenSecret;
import io.oncegate.core.token.TokenStore;
import io.oncegate.core.token.TokenUse;
import io.oncegate.jdbc.JdbcTokenStore;
import io.oncegate.redis.RedisBackend;
import io.oncegate.redis.RedisOptions;
import io.oncegate.redis.RedisTokenStore;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The main program of a process that is killed between the acceptance of a strict token and the commit of its effect. It
 * says where it is on its output, as {@link Victim} does, and waits there for a line on its input.
 */
public final class TokenVictim {
    /** What tokens are for. */
    public static final String PURPOSE = "proof.effect";

    /** Who uses them. */
    public static final Scope SUBJECT = Scope.of("proof");

    /** Where it is killed. */
    public static final String ACCEPTED = "AT ACCEPTED";

    private static final byte[] SECRET = new byte[TokenSecret.MIN_BYTES];
    private static final int PLACE = 5;

    private TokenVictim() {}

    /** Runs work with a service of tokens, kept in the place's Redis or, without one, in its database. */
    public static <T> T with(Place place, TokenWork<T> work) throws SQLException {
        if (place.redis().isEmpty()) {
            return work.run(tokens(JdbcTokenStore.of(new DriverSource(place.url(), place.user(), place.password()))));
        }
        RedisClient client = RedisClient.create();
        try (RedisBackend redis = RedisBackend.connecting(
                client, RedisURI.create(place.redis()), RedisOptions.defaults().withTimeout(Duration.ofSeconds(20)))) {
            return work.run(tokens(new RedisTokenStore(redis)));
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    /** Even with giving back on failure, a process that is gone gives nothing back. */
    private static OnceTokens tokens(TokenStore store) {
        return OnceTokens.signedWith(TokenSecret.of(1, SECRET))
                .store(store)
                .giveBackOnFailure()
                .build();
    }

    /** What is done with tokens. */
    @FunctionalInterface
    public interface TokenWork<T> {
        /** Does it. */
        T run(OnceTokens tokens) throws SQLException;
    }

    /**
     * Uses a token and, if it is accepted, makes an effect of that name.
     *
     * @param halfway is run when half the effect is written and nothing is committed; says whether to go on
     * @return whether the token was accepted
     */
    public static boolean use(OnceTokens tokens, Place place, String token, String name, BooleanSupplier halfway)
            throws SQLException {
        TokenUse use = tokens.use(token, SUBJECT, PURPOSE, Operation.DEFAULT_RETENTION);
        if (!(use instanceof TokenUse.Consumed)) {
            return false;
        }
        try (Connection connection = new DriverSource(place.url(), place.user(), place.password()).getConnection()) {
            connection.setAutoCommit(false);
            Effects.write(connection, name, 1, 0);
            if (halfway.getAsBoolean()) {
                Effects.write(connection, name, 2, 0);
                connection.commit();
            }
        }
        return true;
    }

    /** Uses one token. Arguments: the place, the token, the effect's name. */
    public static void main(String[] arguments) throws SQLException {
        List<String> list = List.of(arguments);
        Place place = Place.of(list);
        String token = list.get(PLACE);
        String name = list.get(PLACE + 1);
        boolean accepted = with(place, tokens -> use(tokens, place, token, name, TokenVictim::waitHalfway));
        System.out.println("@ANSWER " + accepted);
    }

    private static boolean waitHalfway() {
        System.out.println("@" + ACCEPTED);
        System.out.flush();
        try {
            return System.in.read() >= 0;
        } catch (IOException e) {
            return false;
        }
    }
}
