/** Benchmarks of the paths that never leave the process, by JMH, with the bare operation beside each. */
@NullMarked
package io.oncegate.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
