/** Locks on ZooKeeper, through Curator, for services that have an ensemble. */
@NullMarked
package io.oncegate.zookeeper;

import org.jspecify.annotations.NullMarked;
