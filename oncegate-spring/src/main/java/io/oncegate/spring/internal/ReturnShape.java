package io.oncegate.spring.internal;

import io.oncegate.spring.http.StatusRules;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ResolvableType;
import org.springframework.http.ResponseEntity;
import org.springframework.util.ClassUtils;

/** How a method returns its result, and what of it is stored. Immutable. */
public record ReturnShape(Kind kind, Type stored, boolean optional, boolean response) {
    /** When the result is there. */
    public enum Kind {
        VALUE,
        STAGE,
        FUTURE,
        CALLABLE,
        MONO,
        FLUX
    }

    /** Results that go on after the method has returned, in a way that cannot be followed, or that are read only once. */
    private static final Set<String> UNFOLLOWED = Set.of(
            "java.util.concurrent.Future",
            "java.util.Iterator",
            "java.util.Spliterator",
            "java.util.Enumeration",
            "java.util.stream.BaseStream",
            "java.io.InputStream",
            "java.io.OutputStream",
            "java.io.Reader",
            "java.util.concurrent.Flow$Publisher",
            "java.util.function.Supplier",
            "java.lang.Runnable",
            "org.reactivestreams.Publisher",
            "org.springframework.core.io.InputStreamSource",
            "org.springframework.http.HttpEntity",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
            "org.springframework.web.servlet.ModelAndView",
            "kotlinx.coroutines.flow.Flow");

    /**
     * The shape of a method.
     *
     * @param async whether the method is run on another thread as a whole, which waits for its future
     * @param problems takes what is wrong
     */
    public static ReturnShape of(Method method, Class<?> type, boolean async, List<String> problems) {
        ResolvableType declared = ResolvableType.forType(
                GenericTypeResolver.resolveType(method.getGenericReturnType(), type), ResolvableType.forClass(type));
        Class<?> raw = declared.resolve(Object.class);
        Kind kind = kind(raw, async);
        ResolvableType inner = kind == Kind.VALUE ? declared : declared.as(raw).getGeneric(0);
        boolean optional = kind != Kind.FLUX && inner.resolve(Object.class) == Optional.class;
        if (optional) {
            inner = inner.getGeneric(0);
        }
        Class<?> result = inner.resolve(Object.class);
        boolean response = result == ResponseEntity.class && !optional && kind != Kind.FLUX;
        ResolvableType content = response ? inner.getGeneric(0) : inner;
        String unfollowed = unfollowed(content.resolve(Object.class));
        if (unfollowed != null || (!response && unfollowed(result) != null)) {
            problems.add(
                    "returns " + declared + ", whose end cannot be followed or which cannot be read twice; return a"
                            + " value, CompletableFuture, Callable, Mono or Flux, or guard the route by the HTTP gate");
        }
        if (isSuspending(method)) {
            problems.add("is a suspending function, which is not supported; return a Mono or a CompletableFuture");
        }
        return new ReturnShape(kind, storedType(kind, content, response), optional, response);
    }

    private static Kind kind(Class<?> raw, boolean async) {
        if (raw == CompletableFuture.class || raw == CompletionStage.class) {
            return async ? Kind.FUTURE : Kind.STAGE;
        } else if (raw == Future.class && async) {
            return Kind.FUTURE;
        } else if (raw == Callable.class) {
            return Kind.CALLABLE;
        }
        return switch (raw.getName()) {
            case "reactor.core.publisher.Mono" -> Kind.MONO;
            case "reactor.core.publisher.Flux" -> Kind.FLUX;
            default -> Kind.VALUE;
        };
    }

    private static @Nullable String unfollowed(Class<?> result) {
        for (Class<?> c : ClassUtils.getAllInterfacesForClassAsSet(result)) {
            if (UNFOLLOWED.contains(c.getName())) {
                return c.getName();
            }
        }
        for (Class<?> c = result; c != null; c = c.getSuperclass()) {
            if (UNFOLLOWED.contains(c.getName())) {
                return c.getName();
            }
        }
        return null;
    }

    private static boolean isSuspending(Method method) {
        Class<?>[] parameters = method.getParameterTypes();
        return parameters.length > 0
                && parameters[parameters.length - 1].getName().equals("kotlin.coroutines.Continuation");
    }

    private static Type storedType(Kind kind, ResolvableType content, boolean response) {
        Class<?> raw = content.resolve(Object.class);
        if (response) {
            boolean none = raw == Void.class;
            return ResolvableType.forClassWithGenerics(
                            StoredResponse.class, none ? ResolvableType.forClass(String.class) : known(content))
                    .getType();
        } else if (kind == Kind.FLUX) {
            return ResolvableType.forClassWithGenerics(List.class, known(content))
                    .getType();
        } else if (raw == void.class || raw == Void.class) {
            return Void.class;
        } else if (raw.isPrimitive()) {
            return ClassUtils.resolvePrimitiveIfNecessary(raw);
        }
        return known(content).getType();
    }

    private static ResolvableType known(ResolvableType type) {
        return type == ResolvableType.NONE ? ResolvableType.forClass(Object.class) : type;
    }

    /**
     * What is stored of a result.
     *
     * @throws ReleasedAnswer for a response whose status is not kept: the key is freed
     */
    public @Nullable Object toStored(@Nullable Object result) {
        Object value = optional && result instanceof Optional<?> some ? some.orElse(null) : result;
        if (response && value instanceof ResponseEntity<?> entity) {
            if (StatusRules.defaults().of(entity.getStatusCode().value()) == StatusRules.Meaning.RELEASE) {
                throw new ReleasedAnswer(entity);
            }
            return StoredResponse.of(entity);
        }
        return stored == Void.class ? null : value;
    }

    /** The result again. */
    public @Nullable Object replay(@Nullable Object value) {
        if (optional) {
            return Optional.ofNullable(value);
        }
        return value instanceof StoredResponse<?> kept ? kept.replay() : value;
    }

    /** An answer that says that nothing has happened, such as 500 or 429: it is passed on and the key is free again. */
    public static final class ReleasedAnswer extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient ResponseEntity<?> answer;

        ReleasedAnswer(ResponseEntity<?> answer) {
            super("an answer that is not kept", null, false, false);
            this.answer = answer;
        }

        /** The answer. */
        public ResponseEntity<?> answer() {
            return answer;
        }
    }
}
