package io.oncegate.boot;

import io.oncegate.core.spi.RecordStore;
import java.util.function.Supplier;

/** A store that could be used for claimed records, made only if it is chosen. */
record StoreSource(StoreKind kind, Supplier<RecordStore> store) {}
