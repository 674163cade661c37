/** What the annotations of this module share: expressions, result shapes and the audit of beans; for nobody outside of it. */
@NullMarked
package io.oncegate.spring.internal;

import org.jspecify.annotations.NullMarked;
