/** The rules of the HTTP gate, without any web framework: for the gates themselves and for those who configure them. */
@NullMarked
package io.oncegate.spring.http;

import org.jspecify.annotations.NullMarked;
