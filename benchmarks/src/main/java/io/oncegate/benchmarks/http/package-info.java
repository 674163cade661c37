/** The web servers and the client of the HTTP rows. */
@NullMarked
package io.oncegate.benchmarks.http;

import org.jspecify.annotations.NullMarked;
