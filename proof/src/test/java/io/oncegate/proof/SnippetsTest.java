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
 * Holds the Java of the documentation to code that is compiled and run: a block of it stands under
 * {@code <!-- snippet: path/to/File.java#name -->} and equals what stands there between {@code // snippet: name} and
 * {@code // end snippet}, without the indentation.
 */
class SnippetsTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final Pattern MARK = Pattern.compile("<!-- snippet: (\\S+)#(\\S+) -->");

    /** A fenced block of Java, and the last line before it that is not blank. */
    private record Block(String page, int line, String before, String text) {}

    @Test
    void everyJavaBlockIsARegionOfACompiledFile() throws IOException {
        for (Block block : blocks()) {
            Matcher mark = MARK.matcher(block.before());
            assertThat(mark.matches())
                    .as(
                            "%s:%d shows Java without a snippet mark before it, such as"
                                    + " <!-- snippet: path/to/File.java#name -->",
                            block.page(), block.line())
                    .isTrue();
            assertThat(block.text())
                    .as("%s:%d", block.page(), block.line())
                    .isEqualTo(region(Files.readString(ROOT.resolve(mark.group(1))), mark.group(2)));
        }
    }

    @Test
    void readsBlocksAndRegions() {
        String page = "text\n<!-- snippet: a/B.java#c -->\n\n```java\nint a;\n\n  int b;\n```\n```sh\nls\n```\n";
        assertThat(blocksIn("p.md", page))
                .containsExactly(new Block("p.md", 4, "<!-- snippet: a/B.java#c -->", "int a;\n\n  int b;\n"));
        String file = "class B {\n    // snippet: cc\n    x\n    // end snippet\n    // snippet: c\n    int a;\n\n"
                + "      int b;\n    // end snippet\n}\n";
        assertThat(region(file, "c")).isEqualTo("int a;\n\n  int b;\n");
    }

    private static List<Block> blocks() throws IOException {
        List<Path> pages = new ArrayList<>();
        pages.add(ROOT.resolve("README.md"));
        pages.add(ROOT.resolve("README.zh-CN.md"));
        Path docs = ROOT.resolve("docs");
        if (Files.isDirectory(docs)) {
            try (Stream<Path> files = Files.walk(docs)) {
                files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
            }
        }
        List<Block> blocks = new ArrayList<>();
        for (Path page : pages) {
            if (Files.exists(page)) {
                blocks.addAll(blocksIn(ROOT.relativize(page).toString(), Files.readString(page)));
            }
        }
        return blocks;
    }

    private static List<Block> blocksIn(String page, String text) {
        List<Block> blocks = new ArrayList<>();
        String before = "";
        List<String> lines = text.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.startsWith("```")) {
                int start = i;
                StringBuilder block = new StringBuilder();
                for (i++; i < lines.size() && !lines.get(i).strip().equals("```"); i++) {
                    block.append(lines.get(i)).append('\n');
                }
                if (line.equals("```java")) {
                    blocks.add(new Block(page, start + 1, before, block.toString()));
                }
                before = "";
            } else if (!line.isEmpty()) {
                before = line;
            }
        }
        return blocks;
    }

    private static String region(String file, String name) {
        List<String> lines = file.lines().toList();
        List<Integer> starts = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).strip().equals("// snippet: " + name)) {
                starts.add(i);
            }
        }
        assertThat(starts).as("regions of the name " + name).hasSize(1);
        StringBuilder region = new StringBuilder();
        for (int i = starts.get(0) + 1; i < lines.size(); i++) {
            if (lines.get(i).strip().equals("// end snippet")) {
                // A line break at the end would count as a line without indentation.
                return region.toString().stripTrailing().stripIndent() + "\n";
            }
            region.append(lines.get(i)).append('\n');
        }
        throw new AssertionError("the region " + name + " has no end");
    }
}
