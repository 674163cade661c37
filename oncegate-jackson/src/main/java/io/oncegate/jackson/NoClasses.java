package io.oncegate.jackson;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.module.SimpleModule;

/** Takes away the readers that load a class because the data names it. */
final class NoClasses extends SimpleModule {
    private static final long serialVersionUID = 1L;

    NoClasses() {
        super("oncegate-no-classes");
        addDeserializer(Class.class, new Refusing<>(Class.class));
        addDeserializer(JavaType.class, new Refusing<>(JavaType.class));
    }

    private static final class Refusing<T> extends StdDeserializer<T> {
        Refusing(Class<T> type) {
            super(type);
        }

        /** Fails while a type is looked at, so that it is known as unsupported before anything is run. */
        @Override
        public ValueDeserializer<?> createContextual(DeserializationContext context, @Nullable BeanProperty property) {
            return context.reportBadDefinition(handledType(), "classes are not named by stored results");
        }

        @Override
        public T deserialize(JsonParser parser, DeserializationContext context) {
            return context.reportBadDefinition(handledType(), "classes are not named by stored results");
        }
    }
}
