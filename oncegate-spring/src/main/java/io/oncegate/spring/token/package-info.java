/** One-time tokens over HTTP: the endpoints that issue them, and the source that takes them at a gate. */
@NullMarked
package io.oncegate.spring.token;

import org.jspecify.annotations.NullMarked;
