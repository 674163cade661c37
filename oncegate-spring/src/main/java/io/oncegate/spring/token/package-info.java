/** The endpoint that issues one-time tokens, for applications that switch it on as a bean. */
@NullMarked
package io.oncegate.spring.token;

import org.jspecify.annotations.NullMarked;
