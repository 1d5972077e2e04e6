"""What `latitude place` finds."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude.analysis.place.machine import Machine, Nodes
from latitude.files.provenance import Provenance
from latitude.model.network import Network
from latitude.trace.program import Program


@dataclass(frozen=True, slots=True)
class LinkShare:
    """One link class under a placement."""

    link: str
    L_ns: float
    lambda_L: float
    """Latencies of the class on the critical path."""
    messages: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Judged:
    """A placement as a fresh evaluation of the engine sees it."""

    name: str
    node_of_rank: Nodes
    T_ns: float
    links: list[LinkShare]


@dataclass(frozen=True, slots=True)
class PlaceResult:
    """The placements compared; the last one is the one found."""

    provenance: Provenance
    network: Network
    ranks: int
    nodes: int
    cores: int
    hosts: list[str]
    judged: list[Judged]
    start: str
    evaluations: int
    finished: bool
    seconds: float

    @property
    def best(self) -> Judged:
        """The placement found."""
        return self.judged[-1]

    def gain(self, over: Judged) -> float:
        """By what share the placement found is faster than another one."""
        return 1 - self.best.T_ns / over.T_ns if over.T_ns > 0 else 0.0


def judge(program: Program, machine: Machine, name: str, placement: Nodes) -> Judged:
    """Evaluates a placement as `analyze` does; nothing of the search is used."""
    links = machine.placed(placement, name).links(program.ranks)
    network = machine.network.core_of(links)
    model = _core.Model(program.graph, network)
    runtime = model.along("L").runtime(np.array([network.L]))
    path = model.critical_path()
    node = network.node_of_rank
    link = network.class_of[node[path.pair_source], node[path.pair_destination]]

    def total(values: NDArray[np.generic]) -> list[float]:
        return [float(x) for x in np.bincount(link, values, minlength=len(links.classes))]

    shares = zip(
        links.classes,
        total(path.pair_lambda),
        total(path.pair_messages),
        total(path.pair_bytes),
        strict=True,
    )
    return Judged(
        name=name,
        node_of_rank=placement,
        T_ns=float(runtime[0]),
        links=[
            LinkShare(of.name, of.L, count, int(messages), int(size))
            for of, count, messages, size in shares
        ],
    )
