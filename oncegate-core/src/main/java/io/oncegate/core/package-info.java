/** The engine: what a user calls to make an operation's effect happen once, and the words it answers with. */
@NullMarked
package io.oncegate.core;

import org.jspecify.annotations.NullMarked;
