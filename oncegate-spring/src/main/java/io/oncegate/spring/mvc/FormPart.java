package io.oncegate.spring.mvc;

import io.oncegate.spring.http.BufferedBody;
import io.oncegate.spring.http.MultipartForm;
import jakarta.servlet.http.Part;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One part of a multipart form, read from the buffered body. */
final class FormPart implements Part {
    private final BufferedBody body;
    private final MultipartForm.Part part;

    FormPart(BufferedBody body, MultipartForm.Part part) {
        this.body = body;
        this.part = part;
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return body.open(part.from(), part.length());
    }

    @Override
    public @Nullable String getContentType() {
        return part.contentType();
    }

    @Override
    public String getName() {
        return part.name();
    }

    @Override
    public @Nullable String getSubmittedFileName() {
        return part.fileName();
    }

    @Override
    public long getSize() {
        return part.length();
    }

    /** Writes to this file; a relative name is one in the temporary directory. */
    @Override
    public void write(String fileName) throws IOException {
        Path target = Path.of(System.getProperty("java.io.tmpdir")).resolve(fileName);
        try (InputStream in = getInputStream()) {
            Files.copy(in, target, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Does nothing: the body is removed as a whole when the request has been answered. */
    @Override
    public void delete() {
        // nothing of its own to delete
    }

    @Override
    public @Nullable String getHeader(String name) {
        List<String> values = part.headers().get(name);
        return values == null ? null : values.get(0);
    }

    @Override
    public Collection<String> getHeaders(String name) {
        List<String> values = part.headers().get(name);
        return values == null ? List.of() : List.copyOf(values);
    }

    @Override
    public Collection<String> getHeaderNames() {
        return part.headers().keySet();
    }
}
