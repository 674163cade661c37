package io.oncegate.spring.mvc;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A body that is there already: always ready. Not thread-safe. */
final class BodyInputStream extends ServletInputStream {
    private final InputStream in;
    private boolean finished;

    BodyInputStream(InputStream in) {
        this.in = in;
    }

    @Override
    public int read() throws IOException {
        int b = in.read();
        finished = b < 0;
        return b;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
        int read = in.read(bytes, from, length);
        finished = read < 0;
        return read;
    }

    @Override
    public int available() throws IOException {
        return in.available();
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    @Override
    public boolean isFinished() {
        return finished;
    }

    @Override
    public boolean isReady() {
        return true;
    }

    @Override
    public void setReadListener(ReadListener listener) {
        try {
            listener.onDataAvailable();
            if (finished) {
                listener.onAllDataRead();
            }
        } catch (IOException e) {
            listener.onError(e);
        }
    }
}
