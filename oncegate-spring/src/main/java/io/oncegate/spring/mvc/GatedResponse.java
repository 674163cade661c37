package io.oncegate.spring.mvc;

import io.oncegate.spring.http.BufferedBody;
import io.oncegate.spring.http.HttpSnapshot;
import io.oncegate.spring.http.internal.RequestBody;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The response as the handlers see it: it takes everything and sends nothing. What filters before the gate have set stays
 * with the real response, and shows through. Not thread-safe.
 */
final class GatedResponse extends HttpServletResponseWrapper {
    private static final Pattern CHARSET =
            Pattern.compile(";\\s*charset\\s*=\\s*\"?([^\";\\s]+)\"?", Pattern.CASE_INSENSITIVE);

    private final List<HttpSnapshot.Header> headers = new ArrayList<>();
    private final List<Cookie> cookies = new ArrayList<>();
    private final BufferedBody body;
    private int status = SC_OK;
    private @Nullable String contentType;
    private @Nullable String charset;
    private @Nullable String errorMessage;
    private boolean error;
    private boolean committed;
    private boolean hidden;
    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;

    GatedResponse(HttpServletResponse response, int memoryThreshold) {
        super(response);
        this.body = new BufferedBody(memoryThreshold);
    }

    /** Lets those who look through wrappers see another object instead of the real response, which does the same. */
    void hideReal(boolean hide) {
        hidden = hide;
    }

    @Override
    public ServletResponse getResponse() {
        return hidden ? stand(super.getResponse()) : super.getResponse();
    }

    private static ServletResponse stand(ServletResponse real) {
        return (ServletResponse) Proxy.newProxyInstance(
                GatedResponse.class.getClassLoader(),
                new Class<?>[] {HttpServletResponse.class},
                (self, method, arguments) -> {
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** The body so far; to be read only after {@link #flushWriter}. */
    BufferedBody body() {
        return body;
    }

    void flushWriter() {
        if (writer != null) {
            writer.flush();
        }
    }

    List<Cookie> cookies() {
        return cookies;
    }

    /** All header lines that the handlers have set, the content type first. */
    List<HttpSnapshot.Header> headerLines() {
        List<HttpSnapshot.Header> lines = new ArrayList<>();
        String type = getContentType();
        if (type != null) {
            lines.add(new HttpSnapshot.Header("Content-Type", type));
        }
        lines.addAll(headers);
        return lines;
    }

    /** Whether a handler has left the answer to the container's error page. */
    boolean hasError() {
        return error;
    }

    @Nullable
    String errorMessage() {
        return errorMessage;
    }

    /** Makes room for a page that renders the error. */
    void reopen() throws IOException {
        error = false;
        committed = false;
        clearBody();
    }

    private void clearBody() throws IOException {
        body.clear();
        stream = null;
        writer = null;
    }

    @Override
    public int getStatus() {
        return status;
    }

    @Override
    public void setStatus(int sc) {
        if (!committed) {
            status = sc;
        }
    }

    @Override
    public void sendError(int sc) throws IOException {
        sendError(sc, null);
    }

    @Override
    public void sendError(int sc, @Nullable String msg) throws IOException {
        requireOpen();
        status = sc;
        clearBody();
        contentType = null;
        error = true;
        errorMessage = msg;
        committed = true;
    }

    @Override
    public void sendRedirect(String location) throws IOException {
        sendRedirect(location, SC_FOUND, true);
    }

    @Override
    public void sendRedirect(String location, boolean clearBuffer) throws IOException {
        sendRedirect(location, SC_FOUND, clearBuffer);
    }

    @Override
    public void sendRedirect(String location, int sc) throws IOException {
        sendRedirect(location, sc, true);
    }

    @Override
    public void sendRedirect(String location, int sc, boolean clearBuffer) throws IOException {
        requireOpen();
        if (clearBuffer) {
            clearBody();
        }
        status = sc;
        setHeader("Location", location);
        committed = true;
    }

    private void requireOpen() {
        if (committed) {
            throw new IllegalStateException("the response has been committed already");
        }
    }

    @Override
    public boolean isCommitted() {
        return committed;
    }

    @Override
    public void flushBuffer() throws IOException {
        flushWriter();
        committed = true;
    }

    @Override
    public void reset() {
        requireOpen();
        resetBuffer();
        headers.clear();
        cookies.clear();
        status = SC_OK;
        contentType = null;
        charset = null;
        stream = null;
        writer = null;
    }

    @Override
    public void resetBuffer() {
        requireOpen();
        try {
            flushWriter();
            body.clear();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Override
    public int getBufferSize() {
        return Integer.MAX_VALUE;
    }

    @Override
    public void setBufferSize(int size) {
        // everything is held back
    }

    @Override
    public void setContentLength(int len) {
        // told by the body itself
    }

    @Override
    public void setContentLengthLong(long len) {
        // told by the body itself
    }

    @Override
    public ServletOutputStream getOutputStream() {
        if (writer != null) {
            throw new IllegalStateException("getWriter() has been called already");
        }
        if (stream == null) {
            stream = new BodyOutputStream();
        }
        return stream;
    }

    @Override
    public PrintWriter getWriter() {
        if (stream != null) {
            throw new IllegalStateException("getOutputStream() has been called already");
        }
        if (writer == null) {
            if (charset == null) {
                charset = getCharacterEncoding();
            }
            Charset used = RequestBody.charset(charset, StandardCharsets.ISO_8859_1);
            writer = new PrintWriter(new OutputStreamWriter(new BodyOutputStream(), used));
        }
        return writer;
    }

    @Override
    public void addCookie(Cookie cookie) {
        if (!committed) {
            cookies.add(cookie);
        }
    }

    @Override
    public @Nullable String getContentType() {
        if (contentType == null || charset == null) {
            return contentType;
        }
        return CHARSET.matcher(contentType).replaceAll("") + ";charset=" + charset;
    }

    @Override
    public void setContentType(@Nullable String type) {
        if (committed) {
            return;
        }
        contentType = type;
        Matcher named = CHARSET.matcher(type == null ? "" : type);
        if (named.find() && writer == null) {
            charset = named.group(1);
        }
    }

    @Override
    public String getCharacterEncoding() {
        return charset == null ? super.getCharacterEncoding() : charset; // as a filter before the gate has set it
    }

    @Override
    public void setCharacterEncoding(@Nullable String encoding) {
        if (!committed && writer == null) {
            charset = encoding;
        }
    }

    @Override
    public void setCharacterEncoding(@Nullable Charset encoding) {
        setCharacterEncoding(encoding == null ? null : encoding.name());
    }

    @Override
    public void setLocale(Locale locale) {
        setHeader("Content-Language", locale.toLanguageTag());
    }

    @Override
    public boolean containsHeader(String name) {
        return getHeader(name) != null;
    }

    @Override
    public @Nullable String getHeader(String name) {
        Collection<String> values = getHeaders(name);
        return values.isEmpty() ? null : values.iterator().next();
    }

    @Override
    public Collection<String> getHeaders(String name) {
        List<String> values = new ArrayList<>();
        for (HttpSnapshot.Header header : headerLines()) {
            if (header.name().equalsIgnoreCase(name)) {
                values.add(header.value());
            }
        }
        return values.isEmpty() ? super.getHeaders(name) : values;
    }

    @Override
    public Collection<String> getHeaderNames() {
        Set<String> names = new LinkedHashSet<>(super.getHeaderNames());
        headerLines().forEach(header -> names.add(header.name()));
        return names;
    }

    @Override
    public void setHeader(String name, @Nullable String value) {
        if (committed) {
            return;
        }
        headers.removeIf(header -> header.name().equalsIgnoreCase(name));
        addHeader(name, value);
    }

    @Override
    public void addHeader(String name, @Nullable String value) {
        if (committed || name.equalsIgnoreCase("Content-Length")) {
            return;
        }
        if (name.equalsIgnoreCase("Content-Type")) {
            setContentType(value);
        } else if (value != null) {
            headers.add(new HttpSnapshot.Header(name, value));
        }
    }

    @Override
    public void setIntHeader(String name, int value) {
        setHeader(name, Integer.toString(value));
    }

    @Override
    public void addIntHeader(String name, int value) {
        addHeader(name, Integer.toString(value));
    }

    @Override
    public void setDateHeader(String name, long date) {
        setHeader(name, httpDate(date));
    }

    @Override
    public void addDateHeader(String name, long date) {
        addHeader(name, httpDate(date));
    }

    private static String httpDate(long date) {
        // two digits for the day, which RFC_1123_DATE_TIME does not write
        return DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
                .format(Instant.ofEpochMilli(date).atZone(ZoneOffset.UTC));
    }

    private final class BodyOutputStream extends ServletOutputStream {
        @Override
        public void write(int b) throws IOException {
            body.write(b);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            body.write(bytes, from, length);
        }

        @Override
        public void flush() {
            committed = true;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            try {
                listener.onWritePossible();
            } catch (IOException e) {
                listener.onError(e);
            }
        }
    }
}
