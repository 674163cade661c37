package io.oncegate.spring.http;

import io.oncegate.core.error.InvalidJsonException;
import io.oncegate.core.error.InvalidKeyException;
import io.oncegate.core.key.JsonPointer;
import java.util.List;
import java.util.Optional;

/** The sources that read a field, and the choice between two. */
abstract sealed class FieldSource implements KeySource {
    private final String what;

    private FieldSource(String what) {
        this.what = what;
    }

    @Override
    public String description() {
        return "the " + what;
    }

    @Override
    public boolean mayBlock() {
        return false;
    }

    KeyReading checked(List<String> values) {
        if (values.isEmpty()) {
            return new KeyReading.Missing();
        }
        if (values.size() > 1) {
            return invalid("stands in the request " + values.size() + " times; send it once");
        }
        String key = values.get(0);
        if (key.isBlank()) {
            return invalid("is blank; send a new key for each new request, such as a UUID");
        }
        if (key.length() > IdempotencyKeyHeader.DEFAULT_MAX_LENGTH) {
            return invalid("has more than " + IdempotencyKeyHeader.DEFAULT_MAX_LENGTH
                    + " characters; send a shorter key, such as a UUID");
        }
        for (int i = 0; i < key.length(); i++) {
            if (Character.isISOControl(key.charAt(i)) || isLoneSurrogate(key, i)) {
                return invalid("has a character that no key may have; send a UUID or other printable text");
            }
        }
        return new KeyReading.Found(key);
    }

    private static boolean isLoneSurrogate(String text, int i) {
        char c = text.charAt(i);
        if (Character.isHighSurrogate(c)) {
            return i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
        }
        return Character.isLowSurrogate(c) && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
    }

    KeyReading invalid(String problem) {
        return new KeyReading.Invalid("The " + what + " " + problem + ".");
    }

    static final class Json extends FieldSource {
        private final JsonPointer pointer;

        Json(JsonPointer pointer) {
            super("field " + pointer + " of the JSON body");
            this.pointer = pointer;
        }

        @Override
        public KeyReading read(KeyRequest request) {
            try {
                Optional<String> text = request.jsonField(pointer);
                return checked(text.map(List::of).orElse(List.of()));
            } catch (InvalidKeyException e) {
                return invalid("is no text; send a string, such as a UUID");
            } catch (InvalidJsonException e) {
                return new KeyReading.Refused(HttpProblem.of(
                        ProblemCode.BODY_INVALID,
                        "The key stands in the body, which is not JSON, or names a member twice. Correct the body."));
            }
        }
    }

    static final class Form extends FieldSource {
        private final String name;

        Form(String name) {
            super("form field " + name);
            this.name = name;
        }

        @Override
        public KeyReading read(KeyRequest request) {
            return checked(request.formFields(name));
        }
    }

    static final class Query extends FieldSource {
        private final String name;

        Query(String name) {
            super("query parameter " + name);
            this.name = name;
        }

        @Override
        public boolean needsBody() {
            return false;
        }

        @Override
        public KeyReading read(KeyRequest request) {
            return checked(request.queryParameters(name));
        }
    }

    static final class Either extends FieldSource {
        private final KeySource first;
        private final KeySource second;

        Either(KeySource first, KeySource second) {
            super(first.description() + " or " + second.description());
            this.first = first;
            this.second = second;
        }

        @Override
        public String description() {
            return first.description() + " or " + second.description();
        }

        @Override
        public boolean needsBody() {
            return first.needsBody() || second.needsBody();
        }

        @Override
        public boolean mayBlock() {
            return first.mayBlock() || second.mayBlock();
        }

        @Override
        public KeyReading read(KeyRequest request) {
            KeyReading reading = first.read(request);
            return reading instanceof KeyReading.Missing ? second.read(request) : reading;
        }
    }
}
