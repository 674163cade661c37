/** Gives every test of this project a real server, started on demand and stopped with the JVM. */
@NullMarked
package io.oncegate.testsupport;

import org.jspecify.annotations.NullMarked;
