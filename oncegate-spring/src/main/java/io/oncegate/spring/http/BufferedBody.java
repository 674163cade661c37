package io.oncegate.spring.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bytes of a body, written once and read as often as need be: in memory up to a threshold, beyond it in a temporary
 * file that only this user can read, that is named after this process, and that {@link #close} removes. To be used by one
 * thread at a time; one that comes after the end, such as a handler that was cut off, fails and leaves nothing behind.
 */
public final class BufferedBody extends OutputStream {
    private static final Logger LOG = LoggerFactory.getLogger(BufferedBody.class);
    private static final int FIRST_SIZE = 1024;
    private static final String PREFIX = "oncegate-" + ProcessHandle.current().pid() + "-";

    private final Callable<Path> files;
    private int threshold;
    private byte[] memory = new byte[0];
    private long size;
    private boolean closed;
    private @Nullable Path file;
    private @Nullable OutputStream fileOut;

    /**
     * Creates an empty body.
     *
     * @param threshold how many bytes are held in memory
     */
    public BufferedBody(int threshold) {
        this(threshold, BufferedBody::createFile);
    }

    BufferedBody(int threshold, Callable<Path> files) {
        this.threshold = threshold;
        this.files = files;
    }

    /** The number of bytes. */
    public long size() {
        return size;
    }

    /** Whether all bytes are in memory, so that reading them never waits. */
    public boolean inMemory() {
        return file == null;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int from, int length) throws IOException {
        if (closed) {
            throw new IOException("the exchange is over, and nobody takes its body any more");
        }
        if (fileOut == null && size + length > threshold) {
            spillIfPossible();
        }
        if (fileOut != null) {
            fileOut.write(bytes, from, length);
        } else {
            int used = (int) size;
            if (used + length > memory.length) {
                int room = Math.max(Math.max(FIRST_SIZE, memory.length * 2), used + length);
                memory = Arrays.copyOf(memory, Math.min(room, Math.max(threshold, used + length)));
            }
            System.arraycopy(bytes, from, memory, used, length);
        }
        size += length;
    }

    /** Without a file it all stays in memory: a handler's effect is not to be told as a failure for want of a disk. */
    private void spillIfPossible() throws IOException {
        try {
            spill();
        } catch (Exception e) {
            LOG.warn(
                    "No temporary file can be written, so a body stays in memory; give the directory of java.io.tmpdir"
                            + " room, and this process the right to write there: {}",
                    e.toString());
            removeFile();
            threshold = Integer.MAX_VALUE;
        }
    }

    private void spill() throws Exception {
        Path path = files.call();
        file = path;
        fileOut = Files.newOutputStream(path);
        fileOut.write(memory, 0, (int) size);
        memory = new byte[0];
    }

    private static Path createFile() throws IOException {
        try {
            return Files.createTempFile(
                    PREFIX,
                    ".body",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } catch (UnsupportedOperationException e) {
            return Files.createTempFile(PREFIX, ".body"); // no POSIX file system
        }
    }

    /** Forgets all bytes so far. */
    public synchronized void clear() throws IOException {
        removeFile();
        memory = new byte[0];
        size = 0;
    }

    /** The bytes from the beginning. */
    public InputStream open() throws IOException {
        return open(0, size);
    }

    /** Some of the bytes. */
    public synchronized InputStream open(long from, long length) throws IOException {
        requireThere();
        if (file == null) {
            return new ByteArrayInputStream(memory, (int) from, (int) length);
        }
        if (fileOut != null) {
            fileOut.flush();
        }
        InputStream in = new BufferedInputStream(Files.newInputStream(file));
        in.skipNBytes(from);
        return new LimitedStream(in, length);
    }

    /** All bytes as an array. */
    public synchronized byte[] bytes() throws IOException {
        requireThere();
        return file == null ? Arrays.copyOf(memory, (int) size) : Files.readAllBytes(file);
    }

    /** Writes all bytes to another stream. */
    public void copyTo(OutputStream out) throws IOException {
        try (InputStream in = open()) {
            in.transferTo(out);
        }
    }

    private void requireThere() throws IOException {
        if (file == null && size > memory.length) {
            throw new IOException("the exchange is over, and its body has gone");
        }
    }

    byte[] sha256() {
        return sha256(0, size);
    }

    byte[] sha256(long from, long length) {
        try (InputStream in = open(from, length)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] buffer = new byte[8192];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                digest.update(buffer, 0, read);
            }
            return digest.digest();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Ends it, and removes the file if there is one. */
    @Override
    public synchronized void close() throws IOException {
        closed = true;
        removeFile();
    }

    private void removeFile() throws IOException {
        if (fileOut != null) {
            fileOut.close();
            fileOut = null;
        }
        if (file != null) {
            Files.deleteIfExists(file);
            file = null;
        }
    }

    /** Ends after some bytes. */
    private static final class LimitedStream extends InputStream {
        private final InputStream in;
        private long left;

        LimitedStream(InputStream in, long length) {
            this.in = in;
            this.left = length;
        }

        @Override
        public int read() throws IOException {
            if (left <= 0) {
                return -1;
            }
            left--;
            return in.read();
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            if (left <= 0) {
                return length == 0 ? 0 : -1;
            }
            int read = in.read(bytes, from, (int) Math.min(left, length));
            left -= Math.max(0, read);
            return read;
        }

        @Override
        public int available() throws IOException {
            return (int) Math.min(left, in.available());
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
