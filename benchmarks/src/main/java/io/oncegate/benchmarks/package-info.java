/** Measures each guarded path against the bare one beside it; for those who develop or choose Oncegate. Not published. */
@NullMarked
package io.oncegate.benchmarks;

import org.jspecify.annotations.NullMarked;
