package io.oncegate.jdbc;

import java.util.regex.Pattern;

/** The names that may stand in a statement's text. */
final class Names {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,62}");

    private Names() {}

    /** Refuses what is no plain name. */
    static String requireColumn(String name, String of) {
        if (name == null || !PLAIN.matcher(name).matches()) {
            throw new IllegalArgumentException("the name of " + of
                    + " has 1 to 63 of the characters A-Z a-z 0-9 _ and no leading digit; not: " + name);
        }
        return name;
    }
}
