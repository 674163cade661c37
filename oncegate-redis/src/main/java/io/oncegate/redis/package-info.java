/** The record store, the lock and the tokens on Redis, for applications that use Lettuce. */
@NullMarked
package io.oncegate.redis;

import org.jspecify.annotations.NullMarked;
