package io.oncegate.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.oncegate.core.error.InProgressException;
import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.error.KeyExpiredException;
import io.oncegate.core.error.MismatchException;
import io.oncegate.core.error.OncegateException;
import io.oncegate.core.error.OutcomeNotRecordedException;
import io.oncegate.core.error.OutcomeUnknownException;
import io.oncegate.core.error.ResultUnavailableException;
import io.oncegate.core.error.StoreUnavailableException;
import io.oncegate.core.key.OperationKey;
import io.oncegate.core.key.Scope;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.http.ResponseEntity;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** The errors of annotated methods below a controller are problems, never 500. */
class IdempotentExceptionAdviceTest {
    record Receipt(String id, int amount) {}

    @RestController
    static class Controller {
        int runs;

        @Idempotent(operation = "advice.pay", key = "#id")
        @PostMapping("/pay")
        public ResponseEntity<Receipt> pay(@RequestParam(required = false) String id, @RequestParam int amount) {
            runs++;
            return ResponseEntity.status(201)
                    .header("Location", "/receipts/" + id)
                    .body(new Receipt(id, amount));
        }
    }

    /** As many applications have one. */
    @RestControllerAdvice
    static class CatchAll {
        @ExceptionHandler(Exception.class)
        ResponseEntity<String> any(Exception failure) {
            return ResponseEntity.status(500).body("broken");
        }
    }

    static final List<Arguments> ERRORS = List.of(
            Arguments.of(new InProgressException("a", Duration.ofSeconds(5), "d"), 409, "in-progress"),
            Arguments.of(new MismatchException("a", List.of("amount"), "d"), 422, "payload-mismatch"),
            Arguments.of(new ResultUnavailableException("a", "refused", "d", null), 410, "result-unavailable"),
            Arguments.of(new OutcomeUnknownException("a", null, "d", null), 409, "outcome-unknown"),
            Arguments.of(new KeyExpiredException("a", false, "d"), 412, "key-expired"),
            Arguments.of(new StoreUnavailableException("s", "down", null), 503, "store-unavailable"),
            Arguments.of(new OutcomeNotRecordedException("a", "why", "d", null), 503, "outcome-not-recorded"),
            Arguments.of(new InvalidKeyException("bad"), 400, "key-invalid"),
            Arguments.of(new CallerUnknownException("who"), 401, "caller-unknown"),
            Arguments.of(new RecursiveCallException(OperationKey.of("a", Scope.global(), "k")), 409, "in-progress"));

    private static AnnotationConfigApplicationContext context;
    private static MockMvc mvc;

    @BeforeAll
    static void start() {
        context = Setup.memory(Controller.class);
        mvc = MockMvcBuilders.standaloneSetup(context.getBean(Controller.class))
                .setControllerAdvice(new CatchAll(), new IdempotentExceptionAdvice())
                .build();
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @ParameterizedTest
    @FieldSource("ERRORS")
    void eachErrorIsAProblem(OncegateException failure, int status, String code) {
        ResponseEntity<byte[]> answer = new IdempotentExceptionAdvice().problem(failure);
        assertThat(answer.getStatusCode().value()).isEqualTo(status);
        assertThat(answer.getHeaders().getContentType()).hasToString("application/problem+json");
        assertThat(new String(answer.getBody(), java.nio.charset.StandardCharsets.UTF_8))
                .contains("\"code\":\"" + code + "\"");
    }

    @Test
    void anAnnotatedControllerIsReplayedAndItsErrorsAreProblems() throws Exception {
        mvc.perform(post("/pay?id=1&amount=10"))
                .andExpect(status().isCreated())
                .andExpect(header().doesNotExist("Idempotent-Replayed"));
        mvc.perform(post("/pay?id=1&amount=10"))
                .andExpect(status().isCreated())
                .andExpect(header().string("Location", "/receipts/1"))
                .andExpect(header().string("Idempotent-Replayed", "true"))
                .andExpect(jsonPath("$.amount").value(10));
        mvc.perform(post("/pay?id=1&amount=99"))
                .andExpect(status().is(422))
                .andExpect(header().string("Content-Type", "application/problem+json"))
                .andExpect(jsonPath("$.code").value("payload-mismatch"));
        mvc.perform(post("/pay?amount=10"))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.code").value("key-invalid"));
    }
}
