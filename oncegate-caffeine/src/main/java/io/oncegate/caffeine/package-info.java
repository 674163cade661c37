/** A near cache of settled results on Caffeine, for those whose repetitions shall not even ask the store. */
@NullMarked
package io.oncegate.caffeine;

import org.jspecify.annotations.NullMarked;
