/** Locks with leases, owners and fences, for services that must do one thing at a time, and for those who write lock stores. */
@NullMarked
package io.oncegate.core.lock;

import org.jspecify.annotations.NullMarked;
