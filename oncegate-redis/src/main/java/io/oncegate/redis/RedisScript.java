package io.oncegate.redis;

import io.oncegate.core.spi.RecordMachine;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A script that Redis runs as one step. Immutable.
 *
 * @param text the script
 * @param digest its SHA-1 in hexadecimal, under which Redis keeps it
 */
record RedisScript(byte[] text, byte[] digest) {
    /** The text of the script of this name, with the options that it asks for. */
    static String text(String name, RedisOptions options) {
        try (InputStream in = RedisScript.class.getResourceAsStream(name + ".lua")) {
            if (in == null) {
                throw new IllegalStateException("the script " + name + ".lua is missing beside " + RedisScript.class);
            }
            String margin = Long.toString(RecordMachine.micros(options.purgeMargin()));
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("@margin@", margin);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A script of this text. */
    static RedisScript of(String source) {
        byte[] text = source.getBytes(StandardCharsets.UTF_8);
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text);
            return new RedisScript(text, HexFormat.of().formatHex(digest).getBytes(StandardCharsets.US_ASCII));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }
}
