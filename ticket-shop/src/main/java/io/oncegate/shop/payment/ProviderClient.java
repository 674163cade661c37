package io.oncegate.shop.payment;

import java.net.ConnectException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Speaks to the payment provider, whose idempotency key is the payment's own. Only what the provider says plainly is
 * believed; everything else is unclear. It never asks twice by itself. Thread-safe.
 */
final class ProviderClient implements AutoCloseable {
    private static final Pattern REFERENCE = Pattern.compile("[!-~]{1,64}");

    private static final int THREADS = 4;

    private final JsonMapper json = new JsonMapper();
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS, ProviderClient::thread);
    private final HttpClient http;
    private final URI payments;
    private final Duration timeout;

    /**
     * A client.
     *
     * @param url of the provider, without the path, such as {@code http://host:port}
     * @param timeout of a whole question with its answer
     * @throws IllegalArgumentException if that is no such address
     */
    ProviderClient(String url, Duration timeout) {
        this.payments = payments(url);
        this.timeout = timeout;
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(timeout)
                .executor(threads)
                .build();
    }

    private static URI payments(String url) {
        try {
            URI address = new URI(url.replaceFirst("/+$", "") + "/payments");
            if (address.getHost() != null && List.of("http", "https").contains(address.getScheme())) {
                return address;
            }
        } catch (URISyntaxException e) {
            // told below: the address may have a password in it, and so has the exception
        }
        throw new IllegalArgumentException(
                "shop.payment.url is no address of a payment provider; give one like http://host:port");
    }

    /** Belongs to the shop and not to the request that happens to need it first. */
    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "payment-client");
        thread.setDaemon(true);
        thread.setContextClassLoader(ProviderClient.class.getClassLoader());
        return thread;
    }

    /** Asks for the money. */
    ProviderAnswer pay(Payment payment) {
        String body = json.writeValueAsString(
                Map.of("order", payment.orderNo(), "amount", payment.amount().toPlainString()));
        return ask(HttpRequest.newBuilder(payments)
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", payment.key())
                .POST(BodyPublishers.ofString(body)));
    }

    /** Asks what became of it; never {@link ProviderAnswer.NotBegun}. */
    ProviderAnswer find(Payment payment) {
        ProviderAnswer answer = ask(HttpRequest.newBuilder(URI.create(payments + "/" + payment.key()))
                .GET());
        return answer instanceof ProviderAnswer.NotBegun not ? new ProviderAnswer.Unclear(not.why()) : answer;
    }

    private ProviderAnswer ask(HttpRequest.Builder question) {
        CompletableFuture<HttpResponse<String>> asked =
                http.sendAsync(question.timeout(timeout).build(), answer -> new ShortBody());
        try {
            return read(asked.get(timeout.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException e) {
            return new ProviderAnswer.Unclear("no answer within " + timeout);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            return cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException
                    ? new ProviderAnswer.NotBegun("not reached")
                    : new ProviderAnswer.Unclear(String.valueOf(cause));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new ProviderAnswer.Unclear("interrupted");
        } finally {
            asked.cancel(true);
        }
    }

    private ProviderAnswer read(HttpResponse<String> response) {
        JsonNode body = body(response.body());
        int status = response.statusCode();
        String said = body.path("status").asString("");
        if (status / 100 == 2 && said.equals("captured")) {
            String reference = body.path("reference").asString("");
            return new ProviderAnswer.Taken(REFERENCE.matcher(reference).matches() ? reference : "none");
        } else if ((status == 200 || status == 402) && said.equals("declined")) {
            return new ProviderAnswer.Declined();
        } else if (status == 503 && said.equals("not-started")) {
            return new ProviderAnswer.NotBegun("it cannot work at the moment");
        } else if (status == 404 && said.equals("unknown")) {
            return new ProviderAnswer.NoneKnown();
        }
        return new ProviderAnswer.Unclear("status " + status);
    }

    private JsonNode body(String text) {
        try {
            return json.readTree(text);
        } catch (JacksonException e) {
            return json.createObjectNode();
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
