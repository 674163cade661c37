package io.oncegate.spring.client;

import feign.Feign;
import feign.Headers;
import feign.Param;
import feign.Request;
import feign.RequestLine;
import feign.Retryer;
import feign.codec.StringDecoder;
import io.github.resilience4j.core.functions.CheckedSupplier;
import io.github.resilience4j.reactor.retry.RetryOperator;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.support.WebClientAdapter;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import reactor.core.publisher.Mono;

/** Every client with every way to retry that makes sense, each as one logical call that places an order. */
final class Ways implements AutoCloseable {
    /** Sends one logical call and returns the answer's body. */
    @FunctionalInterface
    interface Way {
        String send(String call) throws Exception;
    }

    interface OrderApi {
        @PostExchange("/orders")
        String order(@RequestHeader("X-Call") String call, @RequestBody String body);

        @PostExchange("/orders")
        Mono<String> later(@RequestHeader("X-Call") String call, @RequestBody String body);
    }

    interface FeignOrders {
        @RequestLine("POST /orders")
        @Headers({"X-Call: {call}", "Content-Type: application/json"})
        String order(@Param("call") String call, String body);
    }

    private static final Duration PATIENCE = Duration.ofMillis(300);
    private static final int ATTEMPTS = 30;
    private static final Duration PAUSE = Duration.ofMillis(100);

    private final String root;
    private final IdempotencyKeys keys = IdempotencyKeys.toHosts("127.0.0.1");
    private final RetryRules rules =
            RetryRules.builder().maxAttempts(ATTEMPTS).backoff(PAUSE, PAUSE).build();
    private final HttpClient plain =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
    final RetriedShop shop;

    Ways(String root) {
        this.root = root;
        this.shop = new RetriedShop(restClient(RetryRules.none()), webClient(RetryRules.none()));
    }

    @Override
    public void close() {
        timer.shutdownNow();
        shop.close();
    }

    private JdkClientHttpRequestFactory requestFactory() {
        JdkClientHttpRequestFactory factory = new JdkClientHttpRequestFactory(plain);
        factory.setReadTimeout(PATIENCE);
        return factory;
    }

    private RestClient restClient(RetryRules rules) {
        return RestClient.builder()
                .requestFactory(requestFactory())
                .baseUrl(root)
                .requestInterceptor(new IdempotentRequestInterceptor(keys, rules))
                .build();
    }

    private WebClient webClient(RetryRules rules) {
        JdkClientHttpConnector connector = new JdkClientHttpConnector(plain);
        connector.setReadTimeout(PATIENCE);
        return WebClient.builder()
                .clientConnector(connector)
                .baseUrl(root)
                .apply(new IdempotentWebClient(keys, rules))
                .build();
    }

    private IdempotentHttpClient httpClient(RetryRules rules) {
        return new IdempotentHttpClient(plain, keys, rules);
    }

    private HttpRequest request(String call) {
        return HttpRequest.newBuilder(URI.create(root + "/orders"))
                .header("X-Call", call)
                .timeout(PATIENCE)
                .POST(BodyPublishers.ofString("{}"))
                .build();
    }

    static String post(RestClient client, String call) {
        return client.post()
                .uri("/orders")
                .header("X-Call", call)
                .body("{}")
                .retrieve()
                .body(String.class);
    }

    static Mono<String> post(WebClient client, String call) {
        return client.post()
                .uri("/orders")
                .header("X-Call", call)
                .bodyValue("{}")
                .retrieve()
                .bodyToMono(String.class);
    }

    private static RetryTemplate frameworkRetry() {
        return new RetryTemplate(
                RetryPolicy.builder().maxRetries(ATTEMPTS).delay(PAUSE).build());
    }

    private static Retry resilience4j() {
        return Retry.of(
                "orders",
                RetryConfig.custom().maxAttempts(ATTEMPTS).waitDuration(PAUSE).build());
    }

    String restClientOwn(String call) {
        return post(restClient(rules), call);
    }

    String restTemplateOwn(String call) {
        RestTemplate template = new RestTemplate(requestFactory());
        template.getInterceptors().add(new IdempotentRequestInterceptor(keys, rules));
        var headers = new org.springframework.http.HttpHeaders();
        headers.set("X-Call", call);
        return template.postForObject(
                root + "/orders", new org.springframework.http.HttpEntity<>("{}", headers), String.class);
    }

    String restClientFrameworkRetry(String call) throws Exception {
        RestClient client = restClient(RetryRules.none());
        // snippet: framework-retry
        LogicalCall order = LogicalCall.begin();
        return frameworkRetry().execute(() -> order.attempt(() -> post(client, call)));
        // end snippet
    }

    String restClientSpringRetry(String call) {
        RestClient client = restClient(RetryRules.none());
        var retry = org.springframework.retry.support.RetryTemplate.builder()
                .maxAttempts(ATTEMPTS)
                .fixedBackoff(PAUSE)
                .build();
        LogicalCall order = LogicalCall.begin();
        return retry.execute(context -> order.attempt(() -> post(client, call)));
    }

    String restClientResilience4j(String call) throws Exception {
        RestClient client = restClient(RetryRules.none());
        LogicalCall order = LogicalCall.begin();
        return resilience4j().executeCallable(() -> order.attempt(() -> post(client, call)));
    }

    String restClientOnVirtualThreads(String call) throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        Thread thread = NewThread.of(() -> {
            try {
                answer.complete(restClientFrameworkRetry(call));
            } catch (Exception e) {
                answer.completeExceptionally(e);
            }
        });
        thread.start();
        return answer.get(60, TimeUnit.SECONDS);
    }

    private OrderApi overRestClient(RetryRules rules) {
        return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(restClient(rules)))
                .build()
                .createClient(OrderApi.class);
    }

    private OrderApi overWebClient(RetryRules rules) {
        WebClientAdapter adapter = WebClientAdapter.create(webClient(rules));
        adapter.setBlockTimeout(Duration.ofSeconds(60));
        return HttpServiceProxyFactory.builderFor(adapter).build().createClient(OrderApi.class);
    }

    String httpInterfaceOverRestClientOwn(String call) {
        return overRestClient(rules).order(call, "{}");
    }

    String httpInterfaceOverRestClientFrameworkRetry(String call) throws Exception {
        OrderApi api = overRestClient(RetryRules.none());
        LogicalCall order = LogicalCall.begin();
        return frameworkRetry().execute(() -> order.attempt(() -> api.order(call, "{}")));
    }

    String httpInterfaceOverWebClientOwn(String call) {
        return overWebClient(rules).order(call, "{}");
    }

    String httpInterfaceOverWebClientRetryWhen(String call) {
        return overWebClient(RetryRules.none())
                .later(call, "{}")
                .retryWhen(reactor.util.retry.Retry.fixedDelay(ATTEMPTS, PAUSE))
                .block();
    }

    String httpInterfaceOverWebClientBlocking(String call) throws Exception {
        OrderApi api = overWebClient(RetryRules.none());
        LogicalCall order = LogicalCall.begin();
        return frameworkRetry().execute(() -> order.attempt(() -> api.order(call, "{}")));
    }

    String webClientOwn(String call) {
        return post(webClient(rules), call).block();
    }

    String webClientRetryWhen(String call) {
        WebClient client = webClient(RetryRules.none());
        // snippet: retry-when
        return client.post()
                .uri("/orders")
                .header("X-Call", call)
                .bodyValue("{}")
                .retrieve()
                .bodyToMono(String.class)
                .timeout(PATIENCE)
                .retryWhen(reactor.util.retry.Retry.fixedDelay(ATTEMPTS, PAUSE))
                .block();
        // end snippet
    }

    String webClientResilience4j(String call) {
        return post(webClient(RetryRules.none()), call)
                .transformDeferred(RetryOperator.of(resilience4j()))
                .block();
    }

    String webClientDeferred(String call) {
        WebClient client = webClient(RetryRules.none());
        // snippet: deferred
        Mono<String> order = ReactiveCalls.keep(
                Mono.defer(() -> post(client, call)),
                attempt -> attempt.retryWhen(reactor.util.retry.Retry.fixedDelay(ATTEMPTS, PAUSE)));
        // end snippet
        return order.block();
    }

    String webClientBlocking(String call) throws Exception {
        WebClient client = webClient(RetryRules.none());
        LogicalCall order = LogicalCall.begin();
        return frameworkRetry()
                .execute(() -> order.attempt(() -> post(client, call).block()));
    }

    private FeignOrders feign(Retryer retryer) {
        return Feign.builder()
                .decoder(new StringDecoder())
                .options(new Request.Options(5, TimeUnit.SECONDS, PATIENCE.toMillis(), TimeUnit.MILLISECONDS, true))
                .retryer(retryer)
                .requestInterceptor(new IdempotentFeignInterceptor(keys))
                .target(FeignOrders.class, root);
    }

    String feignRetryer(String call) {
        return feign(new Retryer.Default(PAUSE.toMillis(), PAUSE.toMillis(), ATTEMPTS))
                .order(call, "{}");
    }

    String feignResilience4j(String call) throws Exception {
        FeignOrders orders = feign(Retryer.NEVER_RETRY);
        LogicalCall order = LogicalCall.begin();
        return resilience4j().executeCallable(() -> order.attempt(() -> orders.order(call, "{}")));
    }

    String httpClientOwn(String call) throws Exception {
        return httpClient(rules).send(request(call), BodyHandlers.ofString()).body();
    }

    String httpClientOwnAsync(String call) throws Exception {
        return httpClient(rules)
                .sendAsync(request(call), BodyHandlers.ofString())
                .get(60, TimeUnit.SECONDS)
                .body();
    }

    String httpClientKeyedLoop(String call) throws Exception {
        IdempotentHttpClient client = httpClient(RetryRules.none());
        // snippet: keyed
        HttpRequest order = client.keyed(request(call));
        return inALoop(() -> client.send(order, BodyHandlers.ofString()).body());
        // end snippet
    }

    String httpClientCallLoop(String call) throws Exception {
        IdempotentHttpClient client = httpClient(RetryRules.none());
        LogicalCall order = LogicalCall.begin();
        return inALoop(() -> order.attempt(
                () -> client.send(request(call), BodyHandlers.ofString()).body()));
    }

    String httpClientResilience4jAsync(String call) throws Exception {
        IdempotentHttpClient client = httpClient(RetryRules.none());
        // snippet: completion-stage
        LogicalCall order = LogicalCall.begin();
        return resilience4j()
                .executeCompletionStage(
                        timer, () -> order.attempt(() -> client.sendAsync(request(call), BodyHandlers.ofString())))
                .thenApply(HttpResponse::body)
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
        // end snippet
    }

    private static String inALoop(CheckedSupplier<String> send) throws Exception {
        Throwable last = new IllegalStateException("not sent");
        for (int i = 0; i < ATTEMPTS; i++) {
            try {
                return send.get();
            } catch (Throwable e) {
                last = e;
            }
        }
        throw new CompletionException(last);
    }
}
