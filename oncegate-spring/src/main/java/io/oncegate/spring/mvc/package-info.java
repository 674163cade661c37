/** The HTTP gate for Spring MVC and other servlets: for applications that protect their endpoints. */
@NullMarked
package io.oncegate.spring.mvc;

import org.jspecify.annotations.NullMarked;
