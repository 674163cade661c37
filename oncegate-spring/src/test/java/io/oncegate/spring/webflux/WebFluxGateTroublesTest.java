package io.oncegate.spring.webflux;

import io.oncegate.core.Oncegate;
import io.oncegate.spring.gate.GateServer;
import io.oncegate.spring.gate.GateTroubles;
import io.oncegate.spring.http.GateBuilder;
import java.util.function.Consumer;

class WebFluxGateTroublesTest extends GateTroubles {
    @Override
    protected GateServer start(Oncegate oncegate, Consumer<GateBuilder<?>> more) {
        return FluxServer.start(oncegate, more::accept);
    }
}
