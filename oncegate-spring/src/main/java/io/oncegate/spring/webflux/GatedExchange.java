package io.oncegate.spring.webflux;

import io.oncegate.spring.http.BufferedBody;
import java.security.Principal;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.context.ApplicationContext;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.util.MultiValueMap;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.adapter.DefaultServerWebExchange;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import org.springframework.web.server.i18n.LocaleContextResolver;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The exchange as the handlers see it: a body that has been read and is there as if it had not, as bytes, as form and as
 * parts. A mere decorator would not do: forms and parts would still be read from the first request.
 */
final class GatedExchange extends DefaultServerWebExchange {
    private final @Nullable ServerWebExchange first;
    private final boolean formSeenBefore;

    GatedExchange(ServerWebExchange first, ServerHttpResponse response, BodyReader.Read read) {
        super(
                new Request(first, read.body().bytes()),
                response,
                ignored -> first.getSession(),
                codecs(first.getApplicationContext()),
                new Locales(first),
                first.getApplicationContext());
        this.first = first;
        this.formSeenBefore = read.seenBefore();
    }

    private static ServerCodecConfigurer codecs(@Nullable ApplicationContext context) {
        try {
            return context == null
                    ? ServerCodecConfigurer.create()
                    : context.getBean(
                            WebHttpHandlerBuilder.SERVER_CODEC_CONFIGURER_BEAN_NAME, ServerCodecConfigurer.class);
        } catch (NoSuchBeanDefinitionException e) {
            return ServerCodecConfigurer.create();
        }
    }

    @Override
    public Map<String, Object> getAttributes() {
        return first == null ? super.getAttributes() : first.getAttributes(); // asked while this is being made
    }

    @Override
    public <T extends Principal> Mono<T> getPrincipal() {
        return first == null ? Mono.empty() : first.getPrincipal();
    }

    @Override
    public Mono<MultiValueMap<String, String>> getFormData() {
        return first != null && formSeenBefore ? first.getFormData() : super.getFormData();
    }

    /** The request with the body that has been read. */
    private static final class Request extends ServerHttpRequestDecorator {
        private final BufferedBody body;
        private final DataBufferFactory factory;

        Request(ServerWebExchange first, BufferedBody body) {
            super(first.getRequest());
            this.body = body;
            this.factory = first.getResponse().bufferFactory();
        }

        @Override
        public Flux<DataBuffer> getBody() {
            return content(body, factory);
        }
    }

    /** The bytes of a body, as often as they are asked for. */
    static Flux<DataBuffer> content(BufferedBody body, DataBufferFactory factory) {
        if (body.size() == 0) {
            return Flux.empty();
        }
        Flux<DataBuffer> content = DataBufferUtils.readInputStream(body::open, factory, 8192);
        return body.inMemory() ? content : content.subscribeOn(Schedulers.boundedElastic());
    }

    private record Locales(ServerWebExchange first) implements LocaleContextResolver {
        @Override
        public org.springframework.context.i18n.LocaleContext resolveLocaleContext(ServerWebExchange exchange) {
            return first.getLocaleContext();
        }

        @Override
        public void setLocaleContext(
                ServerWebExchange exchange, org.springframework.context.i18n.@Nullable LocaleContext localeContext) {
            throw new UnsupportedOperationException("the locale of a request behind the gate cannot be changed");
        }
    }
}
