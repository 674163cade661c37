package io.oncegate.jackson;

import tools.jackson.databind.DatabindContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.jsontype.PolymorphicTypeValidator;

/** Denies every type whose subtypes would be found by a class name in the data. It is not asked about type names. */
final class NamesOnly extends PolymorphicTypeValidator {
    private static final long serialVersionUID = 1L;

    @Override
    public Validity validateBaseType(DatabindContext context, JavaType baseType) {
        return Validity.DENIED;
    }

    @Override
    public Validity validateSubClassName(DatabindContext context, JavaType baseType, String subClassName) {
        return Validity.DENIED;
    }

    @Override
    public Validity validateSubType(DatabindContext context, JavaType baseType, JavaType subType) {
        return Validity.DENIED;
    }
}
