"""What samples depend on, so that kept ones are never mixed with others."""

import hashlib
from collections.abc import Mapping

from latitude._version import __version__
from latitude.model.network import Network
from latitude.random.forecast.random import Random
from latitude.trace.program import Program


def state_of(program: Program, network: Network, random: Random) -> Mapping[str, object]:
    """Plain data; equal exactly when the samples are."""
    return {
        "schema": "latitude.forecast.samples/1",
        "version": __version__,
        "input_sha256": program.digest.hex(),
        "collectives": program.collectives,
        "cpu_order": program.cpu_order,
        "reduce_ns_per_byte": program.reduce_ns_per_byte,
        "async_progress": program.async_progress,
        "vertices": program.graph.vertices,
        "operations_sha256": hashlib.sha256(program.graph.value.tobytes()).hexdigest(),
        "network": {**network.describe(), "exact": repr(network), "rendezvous": network.rendezvous},
        "latency": random.latency.text,
        "latency_sha256": hashlib.sha256(random.latency.values.tobytes()).hexdigest(),
        "where": random.where,
        "per": random.per,
        "total": random.total,
        "noise": None if random.noise is None else random.noise.text,
        "noise_sha256": None
        if random.noise is None
        else hashlib.sha256(random.noise.values.tobytes()).hexdigest(),
        "noise_per": random.noise_per,
        "seed": random.seed,
    }
