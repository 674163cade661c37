package io.oncegate.boot;

import io.oncegate.core.spi.RecordBrowser;
import io.oncegate.core.spi.RecordStore;

/** The fast store of the ladder, and its operators' view: the same object. */
record FastRecords(RecordStore store, RecordBrowser browser) {}
