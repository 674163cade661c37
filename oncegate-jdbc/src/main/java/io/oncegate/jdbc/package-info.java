/** The record store and the data gate on SQL databases, for applications that use JDBC. */
@NullMarked
package io.oncegate.jdbc;

import org.jspecify.annotations.NullMarked;
