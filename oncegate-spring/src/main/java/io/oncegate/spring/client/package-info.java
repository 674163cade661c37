/** The sending side: one key for each logical call, kept over its retries; for those who call a guarded service. */
@NullMarked
package io.oncegate.spring.client;

import org.jspecify.annotations.NullMarked;
