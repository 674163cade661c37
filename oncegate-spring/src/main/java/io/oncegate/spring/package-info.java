/** Annotations, the HTTP gate, transactions and clients, for Spring applications. */
@NullMarked
package io.oncegate.spring;

import org.jspecify.annotations.NullMarked;
