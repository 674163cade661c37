package io.oncegate.spring.jpa;

import io.oncegate.spring.tx.internal.Field;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.criteria.Path;
import jakarta.persistence.metamodel.ManagedType;
import jakarta.persistence.metamodel.SingularAttribute;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.hibernate.Hibernate;
import org.jspecify.annotations.Nullable;

/** A basic, embedded or to-one attribute of an entity, perhaps within an embeddable. Immutable. */
final class Attribute<T> {
    private final String path;
    private final List<Member> members;
    private final EntityManagerFactory factory;
    private final boolean association;

    private Attribute(String path, List<Member> members, EntityManagerFactory factory, boolean association) {
        this.path = path;
        this.members = members;
        this.factory = factory;
        this.association = association;
    }

    static <T> List<Attribute<T>> all(EntityManagerFactory factory, Class<T> entity, String... paths) {
        if (paths.length == 0) {
            throw new IllegalArgumentException("name one attribute of " + entity.getSimpleName() + " or more");
        }
        return Arrays.stream(paths)
                .map(path -> Attribute.<T>of(factory, entity, path))
                .toList();
    }

    static <T> List<Field<T>> fields(List<Attribute<T>> attributes) {
        return attributes.stream()
                .map(attribute -> new Field<T>(attribute.path, attribute::of))
                .toList();
    }

    private static <T> Attribute<T> of(EntityManagerFactory factory, Class<?> entity, String path) {
        ManagedType<?> owner = factory.getMetamodel().managedType(entity);
        List<Member> members = new ArrayList<>();
        boolean association = false;
        for (String name : path.split("\\.", -1)) {
            if (owner == null || !(owner.getAttribute(name) instanceof SingularAttribute<?, ?> attribute)) {
                throw new IllegalArgumentException(
                        path + " is no single-valued attribute of " + entity.getSimpleName() + " or of what it embeds");
            }
            Member member = attribute.getJavaMember();
            ((AccessibleObject) member).setAccessible(true);
            members.add(member);
            association = attribute.isAssociation();
            owner = !association && attribute.getType() instanceof ManagedType<?> embedded ? embedded : null;
        }
        return new Attribute<>(path, List.copyOf(members), factory, association);
    }

    /** With dots into embeddables. */
    String path() {
        return path;
    }

    /** The value; of an association the other entity's id, so that nothing has to be loaded. */
    @Nullable
    Object of(Object entity) {
        Object value = raw(entity);
        return association && value != null ? factory.getPersistenceUnitUtil().getIdentifier(value) : value;
    }

    /** The value as a query takes it. */
    @Nullable
    Object raw(Object entity) {
        Object value = Hibernate.unproxy(entity);
        for (Member member : members) {
            if (value == null) {
                return null;
            }
            value = read(member, value);
        }
        return value;
    }

    private static @Nullable Object read(Member member, Object owner) {
        try {
            return member instanceof Method getter
                    ? getter.invoke(owner)
                    : ((java.lang.reflect.Field) member).get(owner);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read " + member, e);
        }
    }

    <R> Path<R> in(Path<?> root) {
        Path<?> at = root;
        for (String name : path.split("\\.", -1)) {
            at = at.get(name);
        }
        @SuppressWarnings("unchecked") // its type is the attribute's
        Path<R> result = (Path<R>) at;
        return result;
    }
}
