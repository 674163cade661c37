/** Locks around methods of Spring beans by annotation, for those who must do one thing at a time, or once in a while. */
@NullMarked
package io.oncegate.spring.lock;

import org.jspecify.annotations.NullMarked;
