package io.oncegate.benchmarks;

import io.oncegate.benchmarks.http.OrderServer;
import io.oncegate.core.token.OnceTokens;
import io.oncegate.core.token.TokenIssue;
import io.oncegate.core.token.TokenMode;
import io.oncegate.spring.token.TokenKeySource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The rows of one web framework. Used by one thread; its sides are thread-safe. */
final class HttpPaths implements AutoCloseable {
    private final String name;
    private final HttpTarget bare;
    private final HttpTarget memory;
    private final HttpTarget redis;
    private final OnceTokens tokens;

    /**
     * The rows.
     *
     * @param name of the web framework
     * @param bare a server without any gate
     * @param memory one whose gate has its records in memory
     * @param redis one whose gate has its records on Redis, and takes tokens
     * @param tokens issues them
     */
    HttpPaths(String name, OrderServer bare, OrderServer memory, OrderServer redis, OnceTokens tokens) {
        this.name = name;
        this.bare = new HttpTarget(name + " without a gate", bare);
        this.memory = new HttpTarget(name + " over memory", memory);
        this.redis = new HttpTarget(name + " over Redis", redis);
        this.tokens = tokens;
    }

    List<Row> rows(int threads) {
        Side plain = thread -> bare.firstRuns();
        List<Row> rows = new ArrayList<>();
        rows.add(Row.of("HTTP, " + name + ", noise: no gate to itself", threads, plain, plain));
        rows.add(row("memory, first run", threads, thread -> memory.firstRuns()));
        rows.add(row("memory, replay", threads, thread -> memory.replays()));
        rows.add(row("Redis, first run", threads, thread -> redis.firstRuns()));
        rows.add(row("Redis, replay", threads, thread -> redis.replays()));
        return rows;
    }

    /** Tokens of both modes, each issued and then used by one request. */
    List<Row> tokenRows(int threads) {
        return List.of(
                row("Redis, replay token, issued and used", threads, tokened(TokenMode.REPLAY)),
                row("Redis, strict token, issued and used", threads, tokened(TokenMode.STRICT)));
    }

    private Row row(String what, int threads, Side gated) {
        return Row.of("HTTP, " + name + ", " + what + " to no gate", threads, thread -> bare.firstRuns(), gated);
    }

    private Side tokened(TokenMode mode) {
        return thread -> redis.firstRuns(OrderServer.TOKEN_PATH, TokenKeySource.HEADER, () -> issue(mode));
    }

    private String issue(TokenMode mode) {
        return Orders.expect(TokenIssue.Issued.class, tokens.issue(OrderServer.CALLER, Orders.NAME, mode))
                .token();
    }

    void clean() throws IOException {
        for (HttpTarget target : targets()) {
            target.clean();
        }
    }

    /** Whether each handler has run once for each request that is no repetition. */
    void check() {
        targets().forEach(HttpTarget::check);
    }

    private List<HttpTarget> targets() {
        return List.of(bare, memory, redis);
    }

    @Override
    public void close() {
        targets().forEach(HttpTarget::close);
    }
}
