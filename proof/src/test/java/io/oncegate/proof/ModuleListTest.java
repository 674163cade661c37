package io.oncegate.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a new module must be entered in. */
class ModuleListTest {

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    @Test
    void everyPublishedModuleStandsInTheBom() throws IOException {
        assertThat(matches("oncegate-bom/pom.xml", "<artifactId>(oncegate-[^<]+)</artifactId>\\s*<version>\\$"))
                .containsExactlyInAnyOrderElementsOf(published());
    }

    @Test
    void theBomHasTheVersionOfTheOthers() throws IOException {
        assertThat(matches("oncegate-bom/pom.xml", "<artifactId>oncegate-bom</artifactId>\\s*<version>([^<]+)"))
                .isEqualTo(matches("pom.xml", "<artifactId>oncegate-parent</artifactId>\\s*<version>([^<]+)"));
    }

    @Test
    void everyPublishedModuleIsUnderTheArchitectureRules() throws IOException {
        assertThat(matches("proof/pom.xml", "<artifactId>(oncegate-[^<]+)</artifactId>"))
                .containsAll(published());
    }

    @Test
    void everySourcePackageSaysWhatItIsFor() throws IOException {
        for (String module : modules()) {
            Path sources = ROOT.resolve(module).resolve("src/main/java");
            if (!Files.exists(sources)) {
                continue;
            }
            try (Stream<Path> files = Files.walk(sources)) {
                List<Path> packages = files.filter(f -> f.toString().endsWith(".java"))
                        .map(Path::getParent)
                        .distinct()
                        .toList();
                for (Path directory : packages) {
                    Path info = directory.resolve("package-info.java");
                    assertThat(info).exists();
                    assertThat(Files.readString(info)).startsWith("/**").contains("@NullMarked");
                }
            }
        }
    }

    private static List<String> modules() throws IOException {
        return matches("pom.xml", "<module>([^<]+)</module>");
    }

    private static List<String> published() throws IOException {
        return modules().stream()
                .filter(m -> m.startsWith("oncegate-") && !m.equals("oncegate-bom"))
                .toList();
    }

    private static List<String> matches(String file, String pattern) throws IOException {
        return Pattern.compile(pattern)
                .matcher(Files.readString(ROOT.resolve(file)))
                .results()
                .map((MatchResult m) -> m.group(1))
                .toList();
    }
}
