package io.oncegate.shop.provider;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A payment provider on a free port of 127.0.0.1, with an idempotency of its own: {@code POST /payments} takes money once
 * for each {@code Idempotency-Key}, {@code GET /payments/{key}} tells what became of it. It forgets a key after its own
 * retention, and would then take the money again. Its books are in memory. Thread-safe.
 */
public final class SimulatedProvider implements AutoCloseable {
    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9_-]{1,100}");
    private static final int MAX_BODY_BYTES = 16 * 1024;
    private static final String PATH = "/payments";

    private final JsonMapper json = new JsonMapper();
    private final Ledger ledger;
    private final Behaviours behaviours;
    private final Duration late;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool(SimulatedProvider::thread);
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(SimulatedProvider::thread);
    private final AtomicInteger posts = new AtomicInteger();
    private final AtomicInteger questions = new AtomicInteger();

    private SimulatedProvider(HttpServer server, Ledger ledger, Behaviours behaviours, Duration late) {
        this.server = server;
        this.ledger = ledger;
        this.behaviours = behaviours;
        this.late = late;
    }

    /**
     * Starts one.
     *
     * @param retention how long it remembers a key
     * @param late how long it is silent before it takes money late, or hangs up
     * @param seed of what it does at random; null takes the money each time, until told otherwise
     */
    public static SimulatedProvider start(Duration retention, Duration late, @Nullable Long seed, InstantSource clock) {
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            SimulatedProvider provider = new SimulatedProvider(
                    server, new Ledger(retention, clock), new Behaviours(seed == null ? null : new Random(seed)), late);
            server.createContext(PATH, provider::handle);
            server.setExecutor(provider.threads);
            server.start();
            return provider;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "The simulated payment provider finds no free port on 127.0.0.1; name another provider with"
                            + " --shop.payment.url=http://host:port",
                    e);
        }
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "payment-provider");
        thread.setDaemon(true);
        return thread;
    }

    /** Where it is. */
    public URI url() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** What it does with the next payments that it has not seen, one after the other. */
    public void next(Behaviour... behaviour) {
        behaviours.tell(List.of(behaviour));
    }

    /** What it does with all further ones; it forgets what it was told to do next. */
    public void always(Behaviour behaviour) {
        behaviours.always(behaviour);
    }

    /** All the money that it has taken, in order. */
    public List<Charge> charges() {
        return ledger.charges();
    }

    /** How often money was asked for, repetitions included. */
    public int posts() {
        return posts.get();
    }

    /** How often it was asked what became of a payment. */
    public int questions() {
        return questions.get();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try {
            String path = exchange.getRequestURI().getPath();
            if (exchange.getRequestMethod().equals("POST") && path.equals(PATH)) {
                posts.incrementAndGet();
                pay(exchange);
            } else if (exchange.getRequestMethod().equals("GET") && path.startsWith(PATH + "/")) {
                questions.incrementAndGet();
                tell(exchange, path.substring(PATH.length() + 1));
            } else {
                answer(exchange, 404, Map.of("status", "nothing-here"));
            }
        } catch (RuntimeException e) {
            answer(exchange, 500, Map.of("status", "failed"));
        }
    }

    private void tell(HttpExchange exchange, String key) throws IOException {
        Ledger.Payment payment = ledger.find(key);
        if (payment == null) {
            answer(exchange, 404, Map.of("status", "unknown"));
        } else {
            answer(exchange, 200, body(payment));
        }
    }

    private void pay(HttpExchange exchange) throws IOException {
        String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
        byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES);
        JsonNode wish = read(body);
        String order = wish.path("order").asString("");
        BigDecimal amount = amount(wish.path("amount").asString(""));
        if (key == null || !KEY.matcher(key).matches() || order.isEmpty() || amount == null) {
            answer(exchange, 400, Map.of("status", "malformed"));
            return;
        }
        Ledger.Payment known = ledger.open(key, order, amount);
        if (known == null) {
            act(exchange, key, behaviours.next());
        } else if (!known.asksForTheSame(order, amount)) {
            answer(exchange, 422, Map.of("status", "mismatch"));
        } else {
            answerWith(exchange, known);
        }
    }

    private void act(HttpExchange exchange, String key, Behaviour behaviour) throws IOException {
        switch (behaviour) {
            case TAKES -> answerWith(exchange, ledger.capture(key));
            case DECLINES -> answerWith(exchange, ledger.decline(key));
            case TAKES_IN_SILENCE -> {
                ledger.capture(key);
                hangUpLater(exchange);
            }
            case TAKES_LATE -> {
                later(() -> ledger.capture(key));
                hangUpLater(exchange);
            }
            case CANNOT_WORK -> {
                ledger.drop(key);
                answer(exchange, 503, Map.of("status", "not-started"));
            }
            case LOSES -> {
                ledger.drop(key);
                hangUpLater(exchange);
            }
        }
    }

    /** Silence costs no thread; the connection is closed when the caller has long given up. */
    private void hangUpLater(HttpExchange exchange) {
        later(exchange::close);
    }

    private void later(Runnable work) {
        ScheduledFuture<?> ignored = timer.schedule(work, late.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void answerWith(HttpExchange exchange, Ledger.Payment payment) throws IOException {
        int status = switch (payment.state()) {
            case CAPTURED -> 201;
            case DECLINED -> 402;
            case PROCESSING -> 409;
        };
        answer(exchange, status, body(payment));
    }

    private static Map<String, String> body(Ledger.Payment payment) {
        return switch (payment.state()) {
            case CAPTURED -> Map.of("status", "captured", "reference", String.valueOf(payment.reference()));
            case DECLINED -> Map.of("status", "declined");
            case PROCESSING -> Map.of("status", "processing");
        };
    }

    private void answer(HttpExchange exchange, int status, Map<String, String> body) throws IOException {
        byte[] bytes = json.writeValueAsString(body).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private JsonNode read(byte[] body) {
        try {
            return json.readTree(body);
        } catch (JacksonException e) {
            return json.createObjectNode();
        }
    }

    private static @Nullable BigDecimal amount(String text) {
        try {
            return text.length() > 30 ? null : new BigDecimal(text);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** Stops it; what it knows is gone. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
        timer.shutdownNow();
    }
}
