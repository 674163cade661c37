/** State machines on tables, fired in Spring's transactions, for services that move rows from state to state by events. */
@NullMarked
package io.oncegate.spring.state;

import org.jspecify.annotations.NullMarked;
