package io.oncegate.spring.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class BufferedBodyTest {
    private static List<Path> files() throws IOException {
        String prefix = "oncegate-" + ProcessHandle.current().pid() + "-";
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .toList();
        }
    }

    @Test
    void whoeverWritesAfterTheEndLeavesNoFileBehind() throws Exception {
        List<Path> before = files();
        for (int size : new int[] {0, 5, 50}) {
            BufferedBody body = new BufferedBody(10);
            body.write(new byte[size]);
            body.close();
            assertThatThrownBy(() -> body.write(new byte[20]))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("over");
            assertThat(files()).isSubsetOf(before);
        }
    }

    @Test
    void aBodyWhoseFileHasGoneIsNoEmptyOne() throws Exception {
        BufferedBody body = new BufferedBody(10);
        body.write(new byte[50]);
        body.close();
        assertThatThrownBy(body::open).isInstanceOf(IOException.class);
        assertThatThrownBy(body::bytes).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> body.copyTo(new java.io.ByteArrayOutputStream()))
                .isInstanceOf(IOException.class);
    }

    @Test
    @DisplayName("C77: without room on the disk an answer stays in memory, so that its effect is not told as a failure")
    void withoutAFileItStaysInMemory() throws Exception {
        Path nowhere = Path.of("there", "is", "no", "such", "directory");
        for (Callable<Path> broken : List.<Callable<Path>>of(
                () -> {
                    throw new IOException("read-only file system");
                },
                () -> nowhere)) {
            BufferedBody body = new BufferedBody(10, broken);
            body.write(new byte[] {1, 2, 3});
            for (int i = 0; i < 300; i++) {
                body.write(new byte[10]);
            }
            assertThat(body.inMemory()).isTrue();
            assertThat(body.bytes()).hasSize(3003).startsWith(1, 2, 3);
            body.close();
        }
    }

    @Test
    void aBodyIsUsedAgainAfterItWasCleared() throws Exception {
        try (BufferedBody body = new BufferedBody(10)) {
            body.write(new byte[50]);
            body.clear();
            body.write(new byte[] {1, 2});
            assertThat(body.bytes()).containsExactly(1, 2);
        }
    }
}
