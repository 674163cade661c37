package io.oncegate.spring.mvc;

import io.oncegate.core.Oncegate;
import io.oncegate.spring.gate.GateServer;
import io.oncegate.spring.gate.GateTroubles;
import io.oncegate.spring.http.GateBuilder;
import java.util.function.Consumer;

class MvcGateTroublesTest extends GateTroubles {
    @Override
    protected GateServer start(Oncegate oncegate, Consumer<GateBuilder<?>> more) {
        return MvcServer.start(oncegate, more::accept);
    }
}
