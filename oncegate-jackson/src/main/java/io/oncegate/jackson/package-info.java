/** Canonical JSON fingerprints and result codecs, for applications that use Jackson 3. */
@NullMarked
package io.oncegate.jackson;

import org.jspecify.annotations.NullMarked;
