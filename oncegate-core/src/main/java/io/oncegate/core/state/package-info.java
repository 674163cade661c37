/** State machines whose transitions are declared and checked, for services that move a row from state to state by events. */
@NullMarked
package io.oncegate.core.state;

import org.jspecify.annotations.NullMarked;
