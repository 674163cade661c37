package io.oncegate.spring.mvc;

import io.oncegate.spring.http.BufferedBody;
import io.oncegate.spring.http.FormFields;
import io.oncegate.spring.http.MultipartForm;
import io.oncegate.spring.http.internal.RequestBody;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.Part;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The request as the handlers see it: its body has been read, and is there as if it had not. Not thread-safe. */
final class GatedRequest extends HttpServletRequestWrapper {
    private final RequestBody read;
    private final BufferedBody body;
    private final @Nullable List<FormFields.Field> fields;
    private final @Nullable MultipartForm form;
    private @Nullable Map<String, String[]> parameters;
    private @Nullable List<Part> parts;
    private @Nullable ServletInputStream stream;
    private @Nullable BufferedReader reader;
    private @Nullable Exchange exchange;
    private @Nullable GatedAsyncContext async;

    /**
     * Creates it.
     *
     * @param unread whether the container has not seen the form's fields, so that they are to be shown as parameters
     */
    GatedRequest(HttpServletRequest request, RequestBody read, boolean unread) {
        super(request);
        this.read = read;
        this.body = read.bytes();
        this.fields = unread ? read.fields() : null;
        this.form = read.form();
    }

    /** The body, and what the request means. */
    RequestBody read() {
        return read;
    }

    BufferedBody body() {
        return body;
    }

    void exchange(Exchange exchange) {
        this.exchange = exchange;
        setAttribute(Exchange.ATTRIBUTE, exchange);
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
        if (reader != null) {
            throw new IllegalStateException("getReader() has been called already");
        }
        if (stream == null) {
            stream = new BodyInputStream(body.open());
        }
        return stream;
    }

    @Override
    public BufferedReader getReader() throws IOException {
        if (stream != null) {
            throw new IllegalStateException("getInputStream() has been called already");
        }
        if (reader == null) {
            var charset = RequestBody.charset(getCharacterEncoding(), StandardCharsets.ISO_8859_1);
            reader = new BufferedReader(new InputStreamReader(body.open(), charset));
        }
        return reader;
    }

    @Override
    public @Nullable String getParameter(String name) {
        String[] values = getParameterMap().get(name);
        return values == null || values.length == 0 ? null : values[0];
    }

    @Override
    public String @Nullable [] getParameterValues(String name) {
        String[] values = getParameterMap().get(name);
        return values == null ? null : values.clone();
    }

    @Override
    public Enumeration<String> getParameterNames() {
        return Collections.enumeration(getParameterMap().keySet());
    }

    /** Those of the query, as the container reads them, then those of the body. */
    @Override
    public Map<String, String[]> getParameterMap() {
        if (fields == null) {
            return super.getParameterMap();
        }
        if (parameters == null) {
            Map<String, String[]> all = new LinkedHashMap<>(super.getParameterMap());
            for (FormFields.Field field : fields) {
                all.merge(field.name(), new String[] {field.value()}, GatedRequest::joined);
            }
            parameters = Collections.unmodifiableMap(all);
        }
        return parameters;
    }

    private static String[] joined(String[] before, String[] more) {
        String[] all = Arrays.copyOf(before, before.length + more.length);
        System.arraycopy(more, 0, all, before.length, more.length);
        return all;
    }

    @Override
    public Collection<Part> getParts() throws IOException, ServletException {
        if (form == null) {
            return super.getParts();
        }
        if (parts == null) {
            List<Part> all = new ArrayList<>();
            form.parts().forEach(part -> all.add(new FormPart(body, part)));
            parts = List.copyOf(all);
        }
        return parts;
    }

    @Override
    public @Nullable Part getPart(String name) throws IOException, ServletException {
        for (Part part : getParts()) {
            if (part.getName().equals(name)) {
                return part;
            }
        }
        return null;
    }

    @Override
    public @Nullable RequestDispatcher getRequestDispatcher(String path) {
        RequestDispatcher dispatcher = super.getRequestDispatcher(path);
        return dispatcher == null || exchange == null
                ? dispatcher
                : GatedDispatcher.of(dispatcher, exchange.response());
    }

    @Override
    public AsyncContext startAsync() {
        if (exchange == null) {
            return super.startAsync();
        }
        return startAsync(this, exchange.response());
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
        if (exchange == null) {
            return super.startAsync(request, response);
        }
        exchange.requireAsync();
        GatedAsyncContext context = new GatedAsyncContext(super.startAsync(request, response), exchange);
        context.addListener(exchange.listener());
        async = context;
        return context;
    }

    @Override
    public AsyncContext getAsyncContext() {
        return async == null ? super.getAsyncContext() : async;
    }
}
