"""NCCL's published cost model: the duration of a collective by algorithm and protocol.

NCCL chooses the algorithm and the protocol with the least cost. The numbers are from its source
(`src/graph/tuning.cc`, Apache-2.0), and do not depend on the network's real latency or load.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from latitude.trace.nccl import PROTOCOLS

_LL, _LL128, _SIMPLE = range(3)
COLLECTIVES = ("allreduce", "allgather", "reducescatter", "broadcast", "reduce")
"""Collectives with a cost, unlike point-to-point messages."""
GPUS = ("volta", "ampere", "hopper", "blackwell")
CPUS = {"intel": "volta", "amd": "ampere"}
"""CPU → its row of _LL_MOST."""
VERSIONS = ("2.18", "2.19", "2.23", "2.30")
"""The first version with each set of numbers for rings and trees."""

Row = tuple[float, ...]
"""Numbers by protocol, in the order of PROTOCOLS; or for one, two, and more nodes."""

_BASE_US: dict[str, Row] = {
    "tree": (6.8, 14.0, 8.4),
    "ring": (6.6, 14.0, 8.4),
    "pat": (8.0, 8.0, 8.0),
}
_NVLINK_US: dict[str, Row] = {
    "tree": (0.6, 1.25, 4.0),
    "ring": (0.6, 1.9, 3.4),
    "pat": (0.0, 0.0, 0.0),
}
_NETWORK_US: dict[str, Row] = {
    "tree": (5.0, 8.5, 14.0),
    "ring": (2.7, 4.0, 14.0),
    "pat": (0.0, 0.0, 14.0),
}
_PAT_AT_ONCE = 3.5
_PAT_RANK_US = 2.8
"""Time per rank of PAT, which sends over several links at once, and takes longer with more ranks,
µs."""
_LL_MOST: dict[str, Row] = {
    "volta": (39.0, 39.0, 20.4),
    "ampere": (87.7, 22.5, 19.0),
    "hopper": (141.0, 45.0, 35.0),
    "blackwell": (282.0, 90.0, 70.0),
}
"""GB/s of LL by number of nodes. On several nodes the CPU decides, not the GPU, by its row in CPUS.
"""
_TREE_MOST: dict[str, Row] = {
    "volta": (26.5, 18.5, 10.0),
    "ampere": (24.0, 23.6, 17.8),
    "hopper": (38.7, 41.4, 36.0),
    "blackwell": (70.0, 42.8, 24.0),
}
"""GB/s per channel of a tree, by number of nodes."""
_TREE_LL128_MOST: dict[str, Row] = {
    "volta": (20.0, 20.0, 20.0),
    "ampere": (20.0, 20.0, 20.0),
    "hopper": (36.7, 36.7, 29.0),
    "blackwell": (55.6, 31.67, 20.0),
}
_RING_LL128_MOST = {"volta": 20.0, "ampere": 20.0, "hopper": 36.7, "blackwell": 40.0}
_TREE_CORRECTION = (
    "1 1 1 1 .9 .8 .7 .7 .7 .7 .6 .5 .4 .4 .5 .6 .7 .8 .9 1 1 1 1",
    "1 1 1 1 1 .9 .8 .8 .8 .7 .6 .6 .6 .6 .6 .6 .8 .9 .9 .9 .9 1 1",
    ".9 .9 .9 .9 .9 .9 .9 .8 .7 .6 .6 .5 .5 .5 .5 .6 .7 .8 .7 .7 .8 .9 .9",
)
"""Factors on a tree's bandwidth, one per power of two, from 64 B."""
_CORRECTIONS = [[float(word) for word in line.split()] for line in _TREE_CORRECTION]
_SMALLEST_CORRECTED = 64
_PLATEAU_FROM = 64
"""Bytes per channel and rank above which rings over several nodes begin more slowly."""


@dataclass(frozen=True, slots=True)
class CheapestWay:
    """An algorithm and a protocol, with their time."""

    algorithm: str
    protocol: str
    cost_ns: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CostModel:
    """The cost model's numbers for a machine, by algorithm and protocol."""

    nodes: int
    base_us: Mapping[str, Row]
    step_us: Mapping[str, Row]
    """Duration of a step inside a node."""
    network_us: Mapping[str, Row]
    """Duration of a step between nodes."""
    bus_gb_per_s: Mapping[str, Row]
    """Bandwidth of all channels of a rank."""
    channels: int = 1
    overhead_us: float = 1.0
    """Least time of a step if a ring uses several nodes, µs; Simple takes three times as long."""
    plateau: float = 1.4
    """Factor on the latency of Simple's rings over several nodes, except for small sizes."""

    def cost_ns(
        self, collective: str, algorithm: str, protocol: str, ranks: int, size: int
    ) -> float:
        """Time of a collective of `size` bytes; infinite if the model has none.

        `collective` is one of COLLECTIVES.
        """
        at = PROTOCOLS.index(protocol)
        bandwidth = self.bus_gb_per_s[algorithm][at]
        if not bandwidth or (algorithm == "tree" and collective != "allreduce"):
            return math.inf
        if algorithm == "pat" and ranks != self.nodes:
            return math.inf
        latency = self.base_us[algorithm][at]
        step, network = self.step_us[algorithm][at], self.network_us[algorithm][at]
        if ranks == self.nodes:
            network = self.network_us["tree"][at]
        if algorithm == "tree":
            rounds = math.floor(math.log2(self.nodes))
            latency += 2 * ((ranks // self.nodes - 1) * step + rounds * network)
            traffic = 2.0
            place = (size // _SMALLEST_CORRECTED).bit_length() - 1
            if 0 <= place < len(_CORRECTIONS[at]):
                bandwidth *= _CORRECTIONS[at][place]
        elif algorithm == "pat":
            rounds = math.floor(math.log2(self.nodes))
            latency += rounds * network / _PAT_AT_ONCE + ranks * _PAT_RANK_US
            traffic = (ranks - 1) / ranks
        else:
            steps = ring_steps(collective, ranks)
            traffic = steps / ranks
            if collective in {"broadcast", "reduce"}:
                latency += step if self.nodes == 1 else network
            else:
                between = steps * (self.nodes - 1) // (ranks - 1) if self.nodes > 1 else 0
                if self.nodes > 1:
                    step = max(step, self.overhead_us * (3 if at == _SIMPLE else 1))
                latency += (steps - between) * step + between * network
                many = size >= _PLATEAU_FROM * self.channels * ranks
                if self.nodes > 1 and at == _SIMPLE and collective == "allreduce" and many:
                    latency *= self.plateau
        return 1000 * latency + size * traffic / bandwidth

    def choice(
        self,
        collective: str,
        ranks: int,
        size: int,
        algorithms: Sequence[str],
        protocols: Sequence[str] = PROTOCOLS,
    ) -> CheapestWay:
        """The cheapest combination of these algorithms and protocols; of equals, the first."""
        every = (
            CheapestWay(
                algorithm, protocol, self.cost_ns(collective, algorithm, protocol, ranks, size)
            )
            for algorithm in algorithms
            for protocol in protocols
        )
        return min(every, key=lambda each: each.cost_ns)


def ring_steps(collective: str, ranks: int) -> int:
    """Number of blocks, each 1/ranks of the data, that a ring sends over each link."""
    if collective == "allreduce":
        return 2 * (ranks - 1)
    return ranks if collective in {"broadcast", "reduce"} else ranks - 1


def published(
    version: str,
    gpu: str,
    *,
    nodes: int,
    channels: int,
    channel_gb_per_s: float,
    cpu: str,
) -> CostModel:
    """The numbers of a version of NCCL for NVLink nodes.

    Args:
        version: one of VERSIONS.
        gpu: one of GPUS.
        nodes: number of nodes.
        channels: number of channels of a collective.
        channel_gb_per_s: bandwidth of a channel, from NCCL's search of the topology.
        cpu: one of CPUS.
    """
    base, network = dict(_BASE_US), dict(_NETWORK_US)
    known = VERSIONS.index(version)
    if known < VERSIONS.index("2.23"):
        base["tree"] = (6.8, 14.0, 0.0)
    if version == "2.19":
        network["tree"] = (5.0, 8.5, 28.0)
    size = min(nodes, len(PROTOCOLS)) - 1
    bus = channels * channel_gb_per_s
    ll_most = _LL_MOST[gpu if nodes == 1 else CPUS[cpu]][size]
    tree = min(0.92 * bus, channels * _TREE_MOST[gpu][size])
    whole = 7 / 9 if nodes == 1 else 120 / 128
    return CostModel(
        nodes=nodes,
        base_us=base,
        step_us=_NVLINK_US,
        network_us=network,
        bus_gb_per_s={
            "ring": (
                min(ll_most, bus / 2),
                min(0.92 * bus, channels * _RING_LL128_MOST[gpu]),
                bus,
            ),
            "tree": (
                min(tree / 3.8, ll_most),
                min(tree * whole, channels * _TREE_LL128_MOST[gpu][size]),
                tree,
            ),
            "pat": (0.0, 0.0, 0.0 if known < VERSIONS.index("2.23") else 0.75 * bus),
        },
        channels=channels,
        overhead_us=2.0 if cpu == "amd" else 1.0,
        plateau=1.9 if gpu == "volta" else 1.4,
    )
