package io.oncegate.spring.mybatis;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a mapper's method whose statement updates one row of one version, and sets its version to the next one:
 * {@code … SET version = version + 1 WHERE id = #{id} AND version = #{version}}. {@link VersionedStatements} sees to it.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface VersionedStatement {
    /** The version's property of the statement's parameter, with dots where it has several: {@code order.version}. */
    String version() default "version";
}
