package io.oncegate.core.key;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a request means, as one digest per named part, so that a mismatch can name the part that differs. Immutable.
 *
 * <p>A fingerprint is versioned by its author: whoever changes what goes into it raises {@link Builder#version} and, for
 * one retention, {@link #alsoKnownAs adds} the old version to the new one. Two fingerprints are compared by the highest
 * version that both have, so that old and new instances understand each other's records during a rolling deployment.
 *
 * <p>Stored form: one format byte; then, for each version from the highest to the lowest, the version (4 bytes), the
 * number of parts (1 byte), and for each part in the order of its name the name's length (1 byte), the name in UTF-8 and
 * its SHA-256 digest.
 */
public final class Fingerprint {
    /** The most parts that one version may have. */
    public static final int MAX_PARTS = 32;

    /** The most bytes of the stored form. */
    public static final int MAX_ENCODED_BYTES = 8 * 1024;

    /** What {@link #differences} names when the two have no version in common. */
    public static final String VERSION = "fingerprint-version";

    private static final byte FORMAT = 1;
    private static final Logger LOG = LoggerFactory.getLogger(Fingerprint.class);

    private static final Fingerprint NONE = builder().build();

    private final byte[] encoded;

    private Fingerprint(byte[] encoded) {
        this.encoded = encoded;
    }

    /** The fingerprint of operations whose key alone says what is asked: every two are equal. */
    public static Fingerprint none() {
        return NONE;
    }

    /** The fingerprint of one text, in one part named {@code payload}. */
    public static Fingerprint of(String payload) {
        return builder().text("payload", payload).build();
    }

    /** The fingerprint of these bytes, in one part named {@code payload}. */
    public static Fingerprint of(byte[] payload) {
        return builder().bytes("payload", payload).build();
    }

    /**
     * The fingerprint of a JSON text in its canonical form, in one part named {@code payload}.
     *
     * @throws io.oncegate.core.error.InvalidJsonException if it is not JSON
     */
    public static Fingerprint ofJson(String payload) {
        return builder().json("payload", payload).build();
    }

    /** A builder, at version 1 and without parts. */
    public static Builder builder() {
        return new Builder();
    }

    /** This fingerprint, comparable also with those that know only {@code older}'s versions. */
    public Fingerprint alsoKnownAs(Fingerprint older) {
        NavigableMap<Integer, NavigableMap<String, byte[]>> all = older.versions();
        all.putAll(versions());
        return encodedFrom(all);
    }

    /** Whether both mean the same request, by the highest version that both have. */
    public boolean matches(Fingerprint other) {
        return Arrays.equals(encoded, other.encoded) || differences(other).isEmpty();
    }

    /** The names of the parts that differ, by the highest version that both have; {@link #VERSION} if there is none. */
    public List<String> differences(Fingerprint other) {
        NavigableMap<Integer, NavigableMap<String, byte[]>> others = other.versions();
        for (Map.Entry<Integer, NavigableMap<String, byte[]>> version :
                versions().descendingMap().entrySet()) {
            NavigableMap<String, byte[]> theirs = others.get(version.getKey());
            if (theirs != null) {
                return differences(version.getValue(), theirs);
            }
        }
        return List.of(VERSION);
    }

    private static List<String> differences(NavigableMap<String, byte[]> ours, NavigableMap<String, byte[]> theirs) {
        List<String> names = new ArrayList<>();
        NavigableMap<String, byte[]> all = new TreeMap<>(ours);
        all.putAll(theirs);
        for (String name : all.keySet()) {
            if (!Arrays.equals(ours.get(name), theirs.get(name))) {
                names.add(name);
            }
        }
        return names;
    }

    /** The stored form, a copy. */
    public byte[] toBytes() {
        return encoded.clone();
    }

    /**
     * The fingerprint whose stored form this is. A form that this version of the toolkit cannot read stays as it is: it
     * equals only itself, and has no version in common with any other.
     */
    public static Fingerprint fromBytes(byte[] bytes) {
        return new Fingerprint(bytes.clone());
    }

    /** The parts by version; none at all of a form that cannot be read. */
    private NavigableMap<Integer, NavigableMap<String, byte[]>> versions() {
        try {
            ByteBuffer in = ByteBuffer.wrap(encoded);
            if (in.get() == FORMAT) {
                return readVersions(in);
            }
        } catch (BufferUnderflowException e) {
            LOG.warn("A stored fingerprint is cut short; it matches nothing but itself");
        }
        return new TreeMap<>();
    }

    private static Fingerprint encodedFrom(NavigableMap<Integer, NavigableMap<String, byte[]>> versions) {
        byte[] encoded = encode(versions);
        if (encoded.length > MAX_ENCODED_BYTES) {
            throw new IllegalArgumentException("a fingerprint's stored form has at most " + MAX_ENCODED_BYTES
                    + " bytes; name fewer parts or shorter ones");
        }
        return new Fingerprint(encoded);
    }

    private static NavigableMap<Integer, NavigableMap<String, byte[]>> readVersions(ByteBuffer in) {
        NavigableMap<Integer, NavigableMap<String, byte[]>> versions = new TreeMap<>();
        while (in.hasRemaining()) {
            int version = in.getInt();
            int count = in.get() & 0xff;
            NavigableMap<String, byte[]> parts = new TreeMap<>();
            for (int i = 0; i < count; i++) {
                byte[] name = new byte[in.get() & 0xff];
                in.get(name);
                byte[] digest = new byte[Digests.LENGTH];
                in.get(digest);
                parts.put(new String(name, StandardCharsets.UTF_8), digest);
            }
            versions.put(version, parts);
        }
        return versions;
    }

    private static byte[] encode(NavigableMap<Integer, NavigableMap<String, byte[]>> versions) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(64);
        out.write(FORMAT);
        versions.descendingMap().forEach((version, parts) -> {
            out.write(version >>> 24);
            out.write(version >>> 16);
            out.write(version >>> 8);
            out.write(version);
            out.write(parts.size());
            parts.forEach((name, digest) -> {
                byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
                out.write(utf8.length);
                out.writeBytes(utf8);
                out.writeBytes(digest);
            });
        });
        return out.toByteArray();
    }

    /** Equal stored forms. Two fingerprints that are not equal may still {@link #matches match}. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Fingerprint fingerprint && Arrays.equals(fingerprint.encoded, encoded);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(encoded);
    }

    @Override
    public String toString() {
        Map<Integer, Object> names = new HashMap<>();
        versions().forEach((version, parts) -> names.put(version, parts.keySet()));
        return "Fingerprint" + names;
    }

    /** Collects the parts of a fingerprint. Not thread-safe. */
    public static final class Builder {
        private final NavigableMap<String, byte[]> parts = new TreeMap<>();
        private int version = 1;

        private Builder() {}

        /** The version of the choice of parts, 1 or more; raise it when the choice changes. */
        public Builder version(int version) {
            if (version < 1) {
                throw new IllegalArgumentException("a fingerprint's version is 1 or more, not " + version);
            }
            this.version = version;
            return this;
        }

        /** Adds a part that is compared as text, code unit by code unit. */
        public Builder text(String name, String text) {
            return part(name, JsonText.canonical(text));
        }

        /** Adds a part that is compared byte by byte. */
        public Builder bytes(String name, byte[] content) {
            var digest = Digests.sha256();
            digest.update(content);
            return digest(name, digest.digest());
        }

        /**
         * Adds a part that is compared as JSON: the order of an object's members, white space, escapes and the way a
         * number is written do not count (10, 10.0 and 1e1 are one number); the order of an array, every digit of a
         * number, and null against missing do.
         *
         * @throws io.oncegate.core.error.InvalidJsonException if it is not JSON, or names a member twice
         */
        public Builder json(String name, String json) {
            return part(name, JsonText.canonical(JsonText.parse(json)));
        }

        /**
         * Adds one part for each of the chosen fields of a JSON text, named by its pointer, and compared as in
         * {@link #json}. A field that is missing differs from one that is null.
         *
         * @param pointers JSON pointers (RFC 6901), for example {@code /amount} or {@code /items/0/id}
         * @throws io.oncegate.core.error.InvalidJsonException if it is not JSON, or names a member twice
         */
        public Builder jsonFields(String json, String... pointers) {
            Object root = JsonText.parse(json);
            for (String pointer : pointers) {
                Object value = JsonText.at(root, pointer);
                part(pointer, value == JsonText.MISSING ? "" : JsonText.canonical(value));
            }
            return this;
        }

        private Builder part(String name, String text) {
            return bytes(name, text.getBytes(StandardCharsets.UTF_8));
        }

        private Builder digest(String name, byte[] digest) {
            if (name.isEmpty() || name.getBytes(StandardCharsets.UTF_8).length > 255) {
                throw new IllegalArgumentException("the name of a fingerprint's part has 1 to 255 bytes");
            }
            if (parts.put(name, digest) != null) {
                throw new IllegalArgumentException("the fingerprint has a part " + name + " already");
            }
            if (parts.size() > MAX_PARTS) {
                throw new IllegalArgumentException("a fingerprint has at most " + MAX_PARTS + " parts");
            }
            return this;
        }

        /** The fingerprint of the parts so far. */
        public Fingerprint build() {
            NavigableMap<Integer, NavigableMap<String, byte[]>> versions = new TreeMap<>();
            versions.put(version, new TreeMap<>(parts));
            return encodedFrom(versions);
        }
    }
}
