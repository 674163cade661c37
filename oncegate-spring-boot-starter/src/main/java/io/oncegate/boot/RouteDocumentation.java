package io.oncegate.boot;

import io.oncegate.spring.http.HeaderRules;
import io.oncegate.spring.http.HttpProblem;
import io.oncegate.spring.http.IdempotencyKeyHeader;
import io.oncegate.spring.http.IdempotentRoute;
import io.oncegate.spring.http.KeySource;
import io.oncegate.spring.http.StatusRules;
import io.oncegate.spring.token.TokenKeySource;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.IntegerSchema;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.ObjectSchema;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.parameters.Parameter;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.responses.ApiResponses;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springframework.http.server.PathContainer;

/**
 * Adds to each protected operation of an OpenAPI document: the headers of key and token, the gate's own answers, and the policy as the
 * extension {@code x-idempotency}. What the application has documented itself stays. Thread-safe.
 */
final class RouteDocumentation implements GlobalOpenApiCustomizer {
    /** The extension that holds a route's policy. */
    static final String EXTENSION = "x-idempotency";

    private final GateRoutes routes;
    private final HttpSettings settings;

    RouteDocumentation(GateRoutes routes, HttpSettings settings) {
        this.routes = routes;
        this.settings = settings;
    }

    @Override
    public void customise(OpenAPI document) {
        if (document.getPaths() == null) {
            return;
        }
        document.getPaths()
                .forEach((path, item) -> item.readOperationsMap()
                        .forEach((method, operation) -> routes.all()
                                .filter(route -> route.matches(method.name(), PathContainer.parsePath(path)))
                                .findFirst()
                                .ifPresent(route -> describe(operation, route))));
    }

    private void describe(Operation operation, IdempotentRoute route) {
        headers(operation, route);
        answers(operation);
        operation.addExtension(EXTENSION, policy(route));
    }

    private void headers(Operation operation, IdempotentRoute route) {
        String name = keyHeader();
        KeySource own = route.key();
        String where = where(route);
        if (where.contains(name)) {
            boolean alone = own == null || own instanceof IdempotencyKeyHeader;
            header(
                    operation,
                    name,
                    route.keyRequired() && alone,
                    "A new value for each new request, such as a UUID in double quotes, and the same value again with every"
                            + " repetition of it.",
                    keySchema());
        }
        if (where.contains(TokenKeySource.HEADER)) {
            header(
                    operation,
                    TokenKeySource.HEADER,
                    false,
                    "A one-time token that was issued to the caller for this operation.",
                    new StringSchema());
        }
    }

    private static StringSchema keySchema() {
        StringSchema schema = new StringSchema();
        schema.setMinLength(1);
        schema.setMaxLength(IdempotencyKeyHeader.DEFAULT_MAX_LENGTH);
        return schema;
    }

    private String keyHeader() {
        return settings.keyHeader() == null ? IdempotencyKeyHeader.DEFAULT_NAME : settings.keyHeader();
    }

    /** Where the keys of a route stand, in words. */
    private String where(IdempotentRoute route) {
        KeySource own = route.key();
        return own == null ? "the header " + keyHeader() : own.description();
    }

    private static void header(
            Operation operation, String name, boolean required, String description, StringSchema schema) {
        if (operation.getParameters() != null
                && operation.getParameters().stream()
                        .anyMatch(known -> name.equalsIgnoreCase(known.getName()) && "header".equals(known.getIn()))) {
            return;
        }
        operation.addParametersItem(new Parameter()
                .in("header")
                .name(name)
                .required(required)
                .description(description)
                .schema(schema));
    }

    private static void answers(Operation operation) {
        ApiResponses responses = operation.getResponses() == null ? new ApiResponses() : operation.getResponses();
        responses.forEach((status, response) -> {
            if (status.matches("[23]\\d\\d")) {
                response.addHeaderObject(
                        HeaderRules.REPLAYED,
                        new Header().description("true on a repeated answer").schema(new StringSchema()));
            }
        });
        problem(responses, "400", "The key is missing or cannot be used.", false);
        problem(responses, "409", "The same request is in progress, or its outcome is unknown.", true);
        problem(responses, "410", "The request is done, and its answer is not there any more.", false);
        problem(responses, "412", "The key is older than the kept answers.", false);
        problem(responses, "422", "The key was used for another request.", false);
        problem(responses, "503", "Keys cannot be checked, or the outcome could not be recorded.", true);
        operation.setResponses(responses);
    }

    private static void problem(ApiResponses responses, String status, String description, boolean retryAfter) {
        if (responses.containsKey(status)) {
            return;
        }
        ApiResponse response = new ApiResponse()
                .description(description)
                .content(new Content()
                        .addMediaType(
                                HttpProblem.CONTENT_TYPE,
                                new MediaType()
                                        .schema(new ObjectSchema()
                                                .addProperty("type", new StringSchema().format("uri"))
                                                .addProperty("title", new StringSchema())
                                                .addProperty("status", new IntegerSchema())
                                                .addProperty("detail", new StringSchema())
                                                .addProperty("code", new StringSchema()))));
        if (retryAfter) {
            response.addHeaderObject(
                    "Retry-After", new Header().description("Seconds.").schema(new IntegerSchema()));
        }
        responses.addApiResponse(status, response);
    }

    private Map<String, Object> policy(IdempotentRoute route) {
        Map<String, Object> policy = new LinkedHashMap<>();
        policy.put("operation", route.operation().name());
        policy.put("key", where(route));
        policy.put("required", route.keyRequired());
        policy.put("retention", route.operation().retention().toString());
        policy.put("lease", route.operation().lease().toString());
        policy.put("keptStatuses", kept(route.statuses()));
        policy.put("maxKeptBytes", route.maxResponseBytes());
        return policy;
    }

    /** The kept statuses among those that are registered, as ranges: {@code 200-399,404}. */
    private static String kept(StatusRules rules) {
        StringBuilder ranges = new StringBuilder();
        int[] kept = IntStream.range(200, 600)
                .filter(status -> rules.of(status) == StatusRules.Meaning.KEEP)
                .toArray();
        for (int from = 0, to = 0; from < kept.length; from = to + 1) {
            to = from;
            while (to + 1 < kept.length && kept[to + 1] == kept[to] + 1) {
                to++;
            }
            ranges.append(ranges.isEmpty() ? "" : ",").append(kept[from]);
            if (to > from) {
                ranges.append('-').append(kept[to]);
            }
            if (to + 1 >= kept.length) {
                break;
            }
        }
        return ranges.toString();
    }
}
