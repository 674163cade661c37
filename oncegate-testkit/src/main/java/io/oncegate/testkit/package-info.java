/** Contract tests for those who write stores and locks, and JUnit support for those who use Oncegate. */
@NullMarked
package io.oncegate.testkit;

import org.jspecify.annotations.NullMarked;
