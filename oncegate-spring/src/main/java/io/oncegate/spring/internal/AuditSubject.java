package io.oncegate.spring.internal;

import java.lang.reflect.Method;
import java.util.List;

/** What an audit of all beans looks for: the methods that an annotation promises to protect. */
public interface AuditSubject {
    /** The annotation as it is named in messages. */
    String annotation();

    /** How messages end that have no better remedy, beginning with a semicolon. */
    String remedy();

    /** The place among advices. */
    int order();

    /** What goes wrong inside of a transaction's advice, as the end of a sentence. */
    String insideTransaction();

    /** What goes wrong outside of the checks of rights, as the end of a sentence. */
    String outsideRights();

    /** Whether such a class may have annotated methods; quick. */
    boolean isCandidate(Class<?> type);

    /** Whether the method, or one which it overrides or implements, is annotated. */
    boolean isAnnotated(Method method);

    /** Whether the advice protects an annotated method, and not something else. */
    boolean isAdvised(Method method);

    /** What is wrong with an annotated method itself, each beginning with a verb. */
    List<String> problems(Method method, Class<?> type);

    /** What is wrong with all of them together; asked last. */
    List<String> together();
}
