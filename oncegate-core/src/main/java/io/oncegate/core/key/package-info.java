/** Keys, fingerprints and birth times: what makes two requests the same, for users and for writers of gates. */
@NullMarked
package io.oncegate.core.key;

import org.jspecify.annotations.NullMarked;
