"""A placement as the engine sees it."""

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude._types import Nodes
from latitude.analysis.place.machine import Machine
from latitude.results.place import Judged, LinkShare
from latitude.trace.program import Program


def judge(program: Program, machine: Machine, name: str, placement: Nodes) -> Judged:
    """Evaluates a placement as `analyze` does; nothing of the search is used."""
    links = machine.placed(placement, name).links(program.ranks)
    network = machine.network.core_of(links)
    model = _core.Model(program.graph, network)
    pairs = model.slack()
    node = network.node_of_rank
    link = network.class_of[node[pairs.pair_source], node[pairs.pair_destination]]

    def total(values: NDArray[np.generic]) -> list[float]:
        return [float(x) for x in np.bincount(link, values, minlength=len(links.classes))]

    shares = zip(
        links.classes,
        total(pairs.pair_lambda_L),
        total(pairs.pair_messages),
        total(pairs.pair_bytes),
        strict=True,
    )
    return Judged(
        name=name,
        node_of_rank=placement,
        T_ns=model.critical_path().T_ns,
        links=[
            LinkShare(
                link=of.name, L_ns=of.L, lambda_L=count, messages=int(messages), bytes=int(size)
            )
            for of, count, messages, size in shares
        ],
    )
