/** The record store in this process's memory, for tests and for services that run as one single process. */
@NullMarked
package io.oncegate.core.memory;

import org.jspecify.annotations.NullMarked;
