package io.oncegate.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.util.List;
import org.junit.jupiter.api.Test;

class FreePortsTest {

    /** Another JVM, which is told a port and says whether it gets it. */
    static final class Other {

        private Other() {}

        public static void main(String[] arguments) {
            System.out.println(FreePorts.take(Integer.parseInt(arguments[0])));
        }
    }

    private static String otherGets(int port) throws Exception {
        Process other = new ProcessBuilder(List.of(
                        System.getProperty("java.home") + "/bin/java",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Other.class.getName(),
                        Integer.toString(port)))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (BufferedReader said = other.inputReader()) {
            return said.readLine();
        }
    }

    @Test
    void aPortIsHandedOutOnceAlsoToOtherJvms() throws Exception {
        int port = FreePorts.next();
        assertThat(FreePorts.isFree(port)).isTrue();
        assertThat(FreePorts.take(port)).isFalse();
        assertThat(otherGets(port)).isEqualTo("false");
        assertThat(otherGets(9_999)).as("a port that nobody has").isEqualTo("true");
    }
}
