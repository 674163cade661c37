package io.oncegate.spring.internal;

import io.oncegate.spring.http.HeaderRules;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;

/**
 * A {@code ResponseEntity} as it is stored: status, the kept headers line by line, and the body as its declared type.
 * Immutable.
 */
record StoredResponse<T>(
        int status, List<List<String>> headers, @Nullable T body) {
    static StoredResponse<Object> of(ResponseEntity<?> response) {
        List<List<String>> lines = new ArrayList<>();
        response.getHeaders().forEach((name, values) -> {
            if (HeaderRules.defaults().keeps(name)) {
                values.forEach(value -> lines.add(List.of(name, value)));
            }
        });
        return new StoredResponse<>(response.getStatusCode().value(), lines, response.getBody());
    }

    ResponseEntity<T> replay() {
        HttpHeaders all = new HttpHeaders();
        headers.forEach(line -> all.add(line.get(0), line.get(1)));
        all.set(HeaderRules.REPLAYED, "true");
        return ResponseEntity.status(status).headers(all).body(body);
    }
}
