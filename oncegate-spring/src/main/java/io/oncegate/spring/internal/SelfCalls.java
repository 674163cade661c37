package io.oncegate.spring.internal;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.util.ClassUtils;

/**
 * Finds calls by which an object calls its own methods past its proxy. Reflection cannot see them, so the class files are
 * read: of the class, its superclasses, its interfaces and their inner classes. A call counts where its receiver is
 * {@code this}, also as an outer {@code this}, through local variables, in lambdas and in method references. A call on
 * another reference of the same type, such as an injected proxy of itself, does not. What comes back from a field or a
 * method is not followed.
 */
final class SelfCalls {
    private final Set<String> owners = new HashSet<>();
    private final Map<String, Method> targets = new HashMap<>();
    private final boolean statics;
    private final Map<String, Found> found = new LinkedHashMap<>();

    /**
     * One call.
     *
     * @param where the class and method that makes it
     */
    record Found(Method target, String where) {}

    private SelfCalls(boolean statics) {
        this.statics = statics;
    }

    /**
     * The calls in a class.
     *
     * @param statics whether calls of static methods count
     */
    static List<Found> in(Class<?> type, List<Method> targets, boolean statics) {
        if (targets.isEmpty()) {
            return List.of();
        }
        SelfCalls calls = new SelfCalls(statics);
        List<Class<?>> classes = new ArrayList<>();
        for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
            classes.add(c);
        }
        classes.addAll(ClassUtils.getAllInterfacesForClassAsSet(type));
        classes.forEach(c -> calls.owners.add(Type.getInternalName(c)));
        for (Method target : targets) {
            calls.target(target, classes);
        }
        Set<String> seen = new HashSet<>();
        classes.forEach(c -> calls.scan(Type.getInternalName(c), c.getClassLoader(), seen));
        return List.copyOf(calls.found.values());
    }

    /** A method is called by its own signature, or by that of a generic one that it implements. */
    private void target(Method target, List<Class<?>> classes) {
        targets.put(target.getName() + Type.getMethodDescriptor(target), target);
        for (Class<?> c : classes) {
            for (Method method : c.getDeclaredMethods()) {
                if (method.isBridge()
                        && method.getName().equals(target.getName())
                        && BridgeMethodResolver.findBridgedMethod(method).equals(target)) {
                    targets.put(method.getName() + Type.getMethodDescriptor(method), target);
                }
            }
        }
    }

    private void scan(String name, @Nullable ClassLoader loader, Set<String> seen) {
        if (loader == null || !seen.add(name) || name.startsWith("java/") || name.startsWith("org/springframework/")) {
            return;
        }
        try (InputStream file = loader.getResourceAsStream(name + ".class")) {
            if (file != null) {
                Set<String> inner = new HashSet<>();
                new ClassReader(file).accept(new Reader(name, inner), ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
                inner.forEach(each -> scan(each, loader, seen));
            }
        } catch (IOException | IllegalArgumentException e) {
            throw new IllegalStateException(
                    "the class file of " + name.replace('/', '.')
                            + " cannot be read, so calls past the proxy are not found",
                    e);
        }
    }

    boolean isOwner(String internalName) {
        return owners.contains(internalName);
    }

    /** Takes note of a call. */
    void call(String owner, String name, String descriptor, boolean onThis, boolean isStatic, Where where) {
        Method target = targets.get(name + descriptor);
        if (target == null || !isOwner(owner) || !(onThis || (isStatic && statics))) {
            return;
        }
        boolean superCall = where.method().equals(name) && where.descriptor().equals(descriptor);
        if (!superCall || !where.isOverride(owner)) {
            found.putIfAbsent(target + " " + where, new Found(target, where.toString()));
        }
    }

    /** The method that is being read. */
    record Where(String owner, String method, String descriptor) {
        /** Whether a call of the same method in another class is that of an overriding method to the overridden one. */
        boolean isOverride(String called) {
            return !owner.equals(called);
        }

        @Override
        public String toString() {
            String shown = method.startsWith("lambda$") ? method.substring(7).replaceAll("\\$\\d+$", "") : method;
            return ClassUtils.getShortName(owner.replace('/', '.')) + "." + shown;
        }
    }

    private final class Reader extends ClassVisitor {
        private final String owner;
        private final Set<String> inner;

        Reader(String owner, Set<String> inner) {
            super(SpringAsmInfo.ASM_VERSION);
            this.owner = owner;
            this.inner = inner;
        }

        @Override
        public void visitInnerClass(String name, @Nullable String outer, @Nullable String simple, int access) {
            if (name.startsWith(owner + "$")) {
                inner.add(name);
            }
        }

        @Override
        public @Nullable MethodVisitor visitMethod(
                int access,
                String name,
                String descriptor,
                @Nullable String signature,
                String @Nullable [] exceptions) {
            if ((access & Opcodes.ACC_BRIDGE) != 0) {
                return null;
            }
            boolean hasThis = (access & Opcodes.ACC_STATIC) == 0 && isOwner(owner);
            return new ThisFlow(SelfCalls.this, new Where(owner, name, descriptor), hasThis);
        }
    }
}
