"""NCCL's published cost model: the duration of a collective by algorithm and protocol.

NCCL chooses the algorithm and the protocol with the least cost. The numbers are from its source
(`src/graph/tuning.cc`, Apache-2.0), and do not depend on the network's real latency or load.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from latitude._core import InputError
from latitude.trace.nccl import MOST_CHANNELS, PROTOCOLS
from latitude.units.quantities import parse_per_byte, parse_whole

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
    "nvls": (0.0, 0.0, 0.0),
    "nvls_tree": (0.0, 0.0, 0.0),
    "collnet_direct": (0.0, 0.0, 0.0),
    "collnet_chain": (0.0, 0.0, 0.0),
}
_NVLINK_US: dict[str, Row] = {
    "tree": (0.6, 1.25, 4.0),
    "ring": (0.6, 1.9, 3.4),
    "pat": (0.0, 0.0, 0.0),
    "nvls": (0.0, 0.0, 25.0),
    "nvls_tree": (0.0, 0.0, 25.0),
    "collnet_direct": (0.0, 0.0, 3.7),
    "collnet_chain": (0.0, 0.0, 2.8),
}
_NETWORK_US: dict[str, Row] = {
    "tree": (5.0, 8.5, 14.0),
    "ring": (2.7, 4.0, 14.0),
    "pat": (0.0, 0.0, 14.0),
    "nvls": (0.0, 0.0, 18.0),
    "nvls_tree": (0.0, 0.0, 20.9),
    "collnet_direct": (0.0, 0.0, 31.0),
    "collnet_chain": (0.0, 0.0, 30.0),
}
_COLLNET_RANK_US = 0.4
"""Time for each further rank on a node that CollNet's direct form serves, µs."""
_PAT_AT_ONCE = 3.5
"""Links over which PAT sends at once; they divide the network's latency."""
_PAT_RANK_US = 2.8
"""Time of PAT for each rank, µs."""
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
_NVLS = {"hopper": 0.85, "blackwell": 0.74}
"""Share of NVLink's bandwidth that NVLS reaches, by GPU."""
_NVLS_TREE_MOST: dict[str, Row] = {
    "hopper": (math.inf, 57.7, 45.5),
    "blackwell": (math.inf, 96.0, 80.0),
}
"""GB/s per channel of an NVLS tree, by number of nodes."""
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
"""Bytes per channel and rank from which the factor `plateau` applies to a ring."""


_OF_NODES = ("nvls", "nvls_tree")
"""Algorithms for several GPUs on a node."""
_COLLNET_SINCE_HOPPER = 0.85
_GATHERS = ("allgather", "reducescatter")
_COLLECTIVES_OF: dict[str, tuple[str, ...]] = {
    "ring": COLLECTIVES,
    "tree": ("allreduce",),
    "pat": _GATHERS,
    "nvls": ("allreduce", *_GATHERS),
    "nvls_tree": ("allreduce",),
    "collnet_direct": ("allreduce",),
    "collnet_chain": ("allreduce",),
}
"""The collectives that each algorithm performs in this model. NCCL also gathers by CollNet's direct
form, and over several nodes by NVLS, if the network's switches can.
"""


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
    """Factor on the latency of all-reduce rings with Simple over several nodes, except for small
    sizes.
    """
    nvls_of_link: float = 0.0
    """Share of NVLink's bandwidth that NVLS reaches; 0 for GPUs without NVLS."""
    nvls_tree_most: float = math.inf
    """GB/s of all channels of an NVLS tree."""
    corrected: frozenset[str] = frozenset({"tree"})
    """Algorithms to whose bandwidth the tree's correction applies."""

    @property
    def rounds(self) -> int:
        """Levels of a tree over nodes, rounded down as NCCL does."""
        return math.floor(math.log2(self.nodes))

    def cost_ns(
        self, collective: str, algorithm: str, protocol: str, ranks: int, size: int
    ) -> float:
        """Time of a collective of `size` bytes; infinite if the model lacks this collective.

        `collective` is one of COLLECTIVES.
        """
        at = PROTOCOLS.index(protocol)
        bandwidth = self.bus_gb_per_s[algorithm][at]
        if not bandwidth or collective not in _COLLECTIVES_OF[algorithm]:
            return math.inf
        alone = ranks == self.nodes
        if (algorithm == "pat" and not alone) or (algorithm in _OF_NODES and alone):
            return math.inf
        network = self.network_us["tree" if alone else algorithm][at]
        asked = _Asked(collective, ranks, size, at, self.step_us[algorithm][at], network, bandwidth)
        latency, traffic, bandwidth = _TERMS[algorithm](self, asked)
        place = (size // _SMALLEST_CORRECTED).bit_length() - 1
        if algorithm in self.corrected and 0 <= place < len(_CORRECTIONS[at]):
            bandwidth *= _CORRECTIONS[at][place]
        latency += self.base_us[algorithm][at]
        if algorithm == "ring" and self._has_plateau(asked):
            latency *= self.plateau
        return 1000 * latency + size * traffic / bandwidth

    def _has_plateau(self, asked: "_Asked") -> bool:
        """Whether the factor `plateau` applies to a ring."""
        many = asked.size >= _PLATEAU_FROM * self.channels * asked.ranks
        reduces = asked.collective == "allreduce" and asked.protocol == _SIMPLE
        return self.nodes > 1 and reduces and many

    def choice(
        self,
        collective: str,
        ranks: int,
        size: int,
        algorithms: Sequence[str],
        protocols: Sequence[str] = PROTOCOLS,
    ) -> CheapestWay:
        """The cheapest combination of these algorithms and protocols; if several are, the first."""
        every = (
            CheapestWay(
                algorithm, protocol, self.cost_ns(collective, algorithm, protocol, ranks, size)
            )
            for algorithm in algorithms
            for protocol in protocols
        )
        return min(every, key=lambda each: each.cost_ns)


class _Asked(NamedTuple):
    """A collective, and the numbers of its algorithm and protocol."""

    collective: str
    ranks: int
    size: int
    protocol: int
    step: float
    """Duration of a step inside a node, µs."""
    network: float
    """Duration of a step between nodes, µs."""
    bus: float
    """Bandwidth of all channels, GB/s."""


_Terms = tuple[float, float, float]
"""Latency in µs, bytes on the wire per byte of data, and GB/s."""


def _ring(model: CostModel, asked: _Asked) -> _Terms:
    steps, step = ring_steps(asked.collective, asked.ranks), asked.step
    traffic = steps / asked.ranks
    if asked.collective in {"broadcast", "reduce"}:
        return step if model.nodes == 1 else asked.network, traffic, asked.bus
    between = steps * (model.nodes - 1) // (asked.ranks - 1) if model.nodes > 1 else 0
    if model.nodes > 1:
        step = max(step, model.overhead_us * (3 if asked.protocol == _SIMPLE else 1))
    return (steps - between) * step + between * asked.network, traffic, asked.bus


def _tree(model: CostModel, asked: _Asked) -> _Terms:
    inside = (asked.ranks // model.nodes - 1) * asked.step
    return 2 * (inside + model.rounds * asked.network), 2.0, asked.bus


def _pat(model: CostModel, asked: _Asked) -> _Terms:
    latency = model.rounds * asked.network / _PAT_AT_ONCE + asked.ranks * _PAT_RANK_US
    return latency, 1.0, asked.bus


def _nvls(model: CostModel, asked: _Asked) -> _Terms:
    latency = asked.step + (asked.network if model.nodes > 1 else 0)
    reduces = asked.collective == "allreduce"
    traffic = ring_steps(asked.collective, asked.ranks) / asked.ranks if reduces else 1.0
    return latency, traffic, min(_nvls_gb_per_s(model, asked), asked.bus)


def _nvls_tree(model: CostModel, asked: _Asked) -> _Terms:
    cards = 2 if model.nodes <= 2 else 1  # noqa: PLR2004 - NCCL has a case for two nodes
    found = min(_nvls_gb_per_s(model, asked), cards * asked.bus, model.nvls_tree_most)
    traffic = ring_steps(asked.collective, asked.ranks) / asked.ranks
    return asked.step + 2 * model.rounds * asked.network, traffic, found


def _nvls_gb_per_s(model: CostModel, asked: _Asked) -> float:
    """Bandwidth of NVLS inside a node."""
    local = asked.ranks / model.nodes
    pipelined = 2.0 if asked.collective == "allreduce" else (local - 1) / local
    return asked.bus * model.nvls_of_link * (model.channels - 1) / model.channels * pipelined


def _collnet_direct(model: CostModel, asked: _Asked) -> _Terms:
    others = asked.ranks // model.nodes - 1
    latency = 2 * (min(1, others) * asked.step + others * _COLLNET_RANK_US) + asked.network
    per_card = asked.ranks / model.nodes / model.channels
    since = _COLLNET_SINCE_HOPPER if model.nvls_of_link else 1.0
    return latency, 2.0, asked.bus / ((1 + per_card) / 2) * since


def _collnet_chain(model: CostModel, asked: _Asked) -> _Terms:
    return 2 * (asked.ranks // model.nodes - 1) * asked.step + asked.network, 2.0, asked.bus


_TERMS: dict[str, Callable[[CostModel, _Asked], _Terms]] = {
    "ring": _ring,
    "tree": _tree,
    "pat": _pat,
    "nvls": _nvls,
    "nvls_tree": _nvls_tree,
    "collnet_direct": _collnet_direct,
    "collnet_chain": _collnet_chain,
}


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
    if version != "2.30":
        network["nvls_tree"] = (0.0, 0.0, 14.0)
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
            "nvls": (0.0, 0.0, bus if gpu in _NVLS and channels > 1 else 0.0),
            "nvls_tree": (0.0, 0.0, bus if gpu in _NVLS and channels > 1 and nodes > 1 else 0.0),
            "collnet_direct": (0.0, 0.0, bus if nodes > 1 else 0.0),
            "collnet_chain": (0.0, 0.0, bus if nodes > 1 else 0.0),
        },
        channels=channels,
        overhead_us=2.0 if cpu == "amd" else 1.0,
        plateau=1.9 if gpu == "volta" else 1.4,
        nvls_of_link=_NVLS.get(gpu, 0.0),
        nvls_tree_most=channels * _NVLS_TREE_MOST[gpu][size] if gpu in _NVLS else math.inf,
        corrected=frozenset({"tree", "nvls_tree"} if gpu == "blackwell" else {"tree"}),
    )


@dataclass(frozen=True, slots=True)
class NcclMachine:
    """NCCL and the machine that its cost model describes."""

    version: str = "2.30"
    """One of VERSIONS."""
    gpu: str = "hopper"
    """One of GPUS."""
    cpu: str = "intel"
    """One of CPUS."""
    channels: int = 16
    """Channels of a collective."""
    channel_gb_per_s: float = 20.0
    """Bandwidth of a channel."""
    _models: dict[int, CostModel] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @classmethod
    def parse(cls, text: str) -> "NcclMachine":
        """Parses `gpu=hopper,channels=16`; also version, cpu and bandwidth.

        InputError: a key or a value is unknown.
        """
        values = dict(part.strip().partition("=")[::2] for part in text.split(","))
        offered: dict[str, Sequence[str]] = {"version": VERSIONS, "gpu": GPUS, "cpu": (*CPUS,)}
        numbers = ("channels", "bandwidth")
        for key, value in values.items():
            if key not in (*offered, *numbers):
                raise InputError(
                    f"nccl: unknown '{key}'; use {', '.join((*offered, *numbers))}, e.g. "
                    "gpu=ampere,channels=8"
                )
            if key in offered and value not in offered[key]:
                raise InputError(f"nccl: {key} is '{value}'; use {', '.join(offered[key])}")
        own = cls()
        bandwidth = own.channel_gb_per_s
        if "bandwidth" in values:
            ns_per_byte = parse_per_byte(values["bandwidth"], "nccl", "bandwidth=20GB/s")
            if ns_per_byte == 0:
                raise InputError(
                    "nccl: a channel has a bandwidth, e.g. bandwidth=20GB/s, not 0 ns/B"
                )
            bandwidth = 1 / ns_per_byte
        return cls(
            values.get("version", own.version),
            values.get("gpu", own.gpu),
            values.get("cpu", own.cpu),
            parse_whole(
                values.get("channels", str(own.channels)), "a number of channels", 1, MOST_CHANNELS
            ),
            bandwidth,
        )

    def model(self, nodes: int) -> CostModel:
        """The cost model for groups on a number of nodes."""
        if nodes not in self._models:
            self._models[nodes] = published(
                self.version,
                self.gpu,
                nodes=nodes,
                channels=self.channels,
                channel_gb_per_s=self.channel_gb_per_s,
                cpu=self.cpu,
            )
        return self._models[nodes]

    @property
    def words(self) -> str:
        """The machine in words."""
        return (
            f"NCCL {self.version} on {self.gpu} GPUs, {self.channels} channels of "
            f"{self.channel_gb_per_s:g} GB/s"
        )
