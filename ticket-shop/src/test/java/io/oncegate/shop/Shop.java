package io.oncegate.shop;

import io.lettuce.core.RedisURI;
import io.oncegate.shop.gate.RedisAccess;
import io.oncegate.shop.provider.SimulatedProvider;
import io.oncegate.testsupport.Await;
import io.oncegate.testsupport.TestDatabase;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** A running shop on a port of its own, with a client, and a view into its database past all gates. */
final class Shop implements AutoCloseable {
    static final String TWO_SEATS = "{\"sessionId\":1,\"quantity\":2}";

    private static final AtomicInteger NAMES = new AtomicInteger();
    private static Shop standard;

    private final ConfigurableApplicationContext context;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build();

    private Shop(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /** The shop as it starts without settings, shared by all tests of the JVM. */
    static synchronized Shop standard() {
        if (standard == null) {
            standard = start("spring.datasource.url=jdbc:h2:mem:" + unique("shop") + ";DB_CLOSE_DELAY=-1");
        }
        return standard;
    }

    /** A shop with these settings, each a name and a value with {@code =} between. */
    static Shop start(String... properties) {
        Map<String, String> arguments = new LinkedHashMap<>();
        arguments.put("server.port", "0");
        // A slow machine is no lost database.
        arguments.put("spring.datasource.hikari.connection-timeout", "20000");
        for (String property : properties) {
            int end = property.indexOf('=');
            arguments.put(property.substring(0, end), property.substring(end + 1));
        }
        return new Shop(new SpringApplicationBuilder(TicketShopApplication.class)
                .run(arguments.entrySet().stream()
                        .map(argument -> "--" + argument.getKey() + "=" + argument.getValue())
                        .toArray(String[]::new)));
    }

    static Shop on(TestDatabase database, String... more) {
        String profile = switch (database.kind()) {
            case H2 -> "default";
            case POSTGRESQL -> "postgresql";
            case MARIADB, MARIADB_MYSQL_DRIVER -> "mariadb";
        };
        List<String> properties = new ArrayList<>(List.of(
                "spring.profiles.active=" + profile,
                "spring.datasource.url=" + database.url(),
                "spring.datasource.username=" + database.user(),
                "spring.datasource.password=" + database.password()));
        if (!profile.equals("default")) {
            String seconds = profile.equals("postgresql") ? "20" : "20000";
            properties.add("spring.datasource.hikari.data-source-properties.socketTimeout=" + seconds);
        }
        properties.addAll(List.of(more));
        return start(properties.toArray(String[]::new));
    }

    /** A name that no other test has. */
    static String unique(String prefix) {
        return prefix + NAMES.incrementAndGet();
    }

    int port() {
        return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    // asking

    Answer order(String user, String key, String body) {
        return send(post(user, key, body));
    }

    Answer get(String user, String path) {
        return send(request(path).header("X-User", user).GET());
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                .timeout(Duration.ofSeconds(30));
    }

    HttpRequest.Builder post(String user, String key, String body) {
        return request("/api/orders")
                .header("X-User", user)
                .header("Idempotency-Key", key)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body));
    }

    /** Asks for a one-time token. */
    String token(String user, String purpose, String mode) {
        Answer answer = send(tokenRequest(user, "{\"purpose\":\"" + purpose + "\",\"mode\":\"" + mode + "\"}"));
        return answer.json().get("token").asString();
    }

    HttpRequest.Builder tokenRequest(String user, String body) {
        return request("/api/tokens")
                .header("X-User", user)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body));
    }

    HttpRequest.Builder postWithToken(String user, String token, String body) {
        return request("/api/orders")
                .header("X-User", user)
                .header("Once-Token", token)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body));
    }

    /** An order of so many seats, that waits for its payment. */
    String placed(String user, long session, int quantity) {
        Answer answer = order(user, unique("k"), "{\"sessionId\":" + session + ",\"quantity\":" + quantity + "}");
        return answer.orderNo();
    }

    /** Lets something happen to an order: pay, ship, complete or cancel. */
    Answer step(String user, String orderNo, String event) {
        return send(stepping(user, orderNo, event));
    }

    HttpRequest.Builder stepping(String user, String orderNo, String event) {
        return request("/api/orders/" + orderNo + "/" + event)
                .header("X-User", user)
                .POST(BodyPublishers.noBody());
    }

    /** The payment provider that this shop has brought along. */
    SimulatedProvider provider() {
        return context.getBean(SimulatedProvider.class);
    }

    /** How often money was taken for an order. */
    long charges(String orderNo) {
        return provider().charges().stream()
                .filter(charge -> charge.order().equals(orderNo))
                .count();
    }

    Answer send(HttpRequest.Builder request) {
        return sendAsync(request).join();
    }

    CompletableFuture<Answer> sendAsync(HttpRequest.Builder request) {
        long start = System.nanoTime();
        return http.sendAsync(request.build(), BodyHandlers.ofString())
                .thenApply(response -> new Answer(
                        response.statusCode(), response.body(), response, Duration.ofNanos(System.nanoTime() - start)));
    }

    /** As an honest client does: a 503 is a reason to come back, with the same key. */
    CompletableFuture<Answer> sendPatiently(HttpRequest.Builder request) {
        return sendPatiently(request, 10);
    }

    private CompletableFuture<Answer> sendPatiently(HttpRequest.Builder request, int tries) {
        return sendAsync(request)
                .thenCompose(answer -> answer.status() == 503 && tries > 1
                        ? sendPatiently(request, tries - 1)
                        : CompletableFuture.completedFuture(answer));
    }

    /** Sends these bytes as they are, and returns all that comes back. */
    String raw(String request) throws IOException {
        return exchange("127.0.0.1", port(), request);
    }

    // looking

    int ordersOf(String user) {
        return number("SELECT count(*) FROM orders WHERE user_id = '" + user + "'");
    }

    int orders() {
        return number("SELECT count(*) FROM orders");
    }

    int stock(long session) {
        return number("SELECT stock FROM concert_session WHERE id = " + session);
    }

    int number(String sql) {
        return inTransaction(jdbc -> jdbc.sql(sql).query(Integer.class).single());
    }

    String text(String sql) {
        JdbcClient jdbc = context.getBean(JdbcClient.class);
        return context.getBean(TransactionTemplate.class)
                .execute(status -> jdbc.sql(sql).query(String.class).single());
    }

    int update(String sql) {
        return inTransaction(jdbc -> jdbc.sql(sql).update());
    }

    private int inTransaction(java.util.function.ToIntFunction<JdbcClient> work) {
        JdbcClient jdbc = context.getBean(JdbcClient.class);
        Integer result = context.getBean(TransactionTemplate.class).execute(status -> work.applyAsInt(jdbc));
        return result == null ? 0 : result;
    }

    /** Holds an order's row meanwhile. */
    void holdingOrder(String orderNo, Runnable meanwhile) {
        inTransaction(jdbc -> {
            int rows = jdbc.sql("UPDATE orders SET version = version + 1 WHERE order_no = '" + orderNo + "'")
                    .update();
            meanwhile.run();
            return rows;
        });
    }

    /** Holds a session's row meanwhile: orders of it come to the judge and wait there. */
    void holding(long session, Runnable meanwhile) {
        inTransaction(jdbc -> {
            int rows = jdbc.sql("UPDATE concert_session SET version = version + 1 WHERE id = " + session)
                    .update();
            meanwhile.run();
            return rows;
        });
    }

    /** Waits until a transaction waits for a row that another one holds. On H2. */
    void awaitBlocked() {
        JdbcClient jdbc = context.getBean(JdbcClient.class);
        Await.until(
                "a transaction waits for a row",
                Duration.ofSeconds(30),
                () -> jdbc.sql("SELECT COUNT(*) FROM INFORMATION_SCHEMA.SESSIONS WHERE BLOCKER_ID IS NOT NULL")
                                .query(Integer.class)
                                .single()
                        > 0);
    }

    /** Takes everything from the shop's Redis. */
    void flushRedis() throws IOException {
        RedisURI redis = RedisAccess.uri(context);
        String answer = exchange(redis.getHost(), redis.getPort(), "FLUSHALL\r\nQUIT\r\n");
        if (!answer.startsWith("+OK")) {
            throw new IllegalStateException(answer);
        }
    }

    private static String exchange(String host, int port, String text) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), 5_000);
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
