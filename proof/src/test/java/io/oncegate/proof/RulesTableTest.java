package io.oncegate.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds the tables of rules in docs/http.md to the tests: under the headings of {@code Every rule and its test} each row
 * names a test as {@code Class#method}, and each that it names exists.
 */
class RulesTableTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final Pattern NAMED = Pattern.compile("`(\\w+)#(\\w+)`");

    private static final Pattern ANNOTATED = Pattern.compile("@(Test|ParameterizedTest|Property)\\b");

    @Test
    void everyRuleNamesATestThatExists() throws IOException {
        List<String> rows = rows(Files.readString(ROOT.resolve("docs/http.md")));
        assertThat(rows).hasSizeGreaterThan(30);
        for (String row : rows) {
            Matcher named = NAMED.matcher(row);
            int tests = 0;
            while (named.find()) {
                tests++;
                assertThat(isTest(named.group(1), named.group(2)))
                        .as("%s#%s is no test, in the row %s", named.group(1), named.group(2), row)
                        .isTrue();
            }
            assertThat(tests).as("tests named by the row %s", row).isPositive();
        }
    }

    @Test
    void readsRowsAndFindsTests() throws IOException {
        String page =
                "| a | `X#y` |\n## Every rule and its test\n| rule | test |\n|---|---|\n| b | none |\n## Limits\n| c |\n";
        assertThat(rows(page)).containsExactly("| b | none |");
        assertThat(isTest("RulesTableTest", "everyRuleNamesATestThatExists")).isTrue();
        assertThat(isTest("RulesTableTest", "isTest")).isFalse();
        assertThat(isTest("NoSuchTest", "x")).isFalse();
    }

    /** The rows between the heading and the next one of its rank, without the tables' heads. */
    private static List<String> rows(String page) {
        List<String> rows = new ArrayList<>();
        boolean within = false;
        for (String line : page.lines().toList()) {
            if (line.startsWith("## ")) {
                within = line.equals("## Every rule and its test");
            } else if (within && line.startsWith("|") && !line.startsWith("|---") && !line.startsWith("| rule |")) {
                rows.add(line);
            }
        }
        return rows;
    }

    /** Whether a test source of this name has a method of this name under an annotation that makes it a test. */
    private static boolean isTest(String type, String method) throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            for (Path file : files.filter(
                            f -> f.endsWith(type + ".java") && f.toString().contains("src/test/java"))
                    .toList()) {
                String text = Files.readString(file);
                int at = text.indexOf("void " + method + "(");
                // its annotations stand before it, behind a blank line
                if (at >= 0
                        && ANNOTATED
                                .matcher(text.substring(text.lastIndexOf("\n\n", at), at))
                                .find()) {
                    return true;
                }
            }
        }
        return false;
    }
}
