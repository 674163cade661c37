/** What the gates of both web frameworks do in the same way: for these gates alone. */
@NullMarked
package io.oncegate.spring.http.internal;

import org.jspecify.annotations.NullMarked;
