/** The crash harness and the history checker behind the published guarantees, for this project alone. */
@NullMarked
package io.oncegate.proof;

import org.jspecify.annotations.NullMarked;
