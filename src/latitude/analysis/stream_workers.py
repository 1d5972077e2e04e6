"""Passes over a trace shared by Dask workers, each of which reads it for some values of θ."""

from dataclasses import dataclass

import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude.analysis.checkpoint import PassFound
from latitude.files.workers import Workers
from latitude.model.network import Network
from latitude.model.theta import Theta
from latitude.trace.pieces import PieceTrace

_FEWEST = 4
"""Fewest values of θ per worker, because most of a pass is reading."""


@dataclass(frozen=True, slots=True)
class _Passes:
    """The trace, the network and θ, from which a worker evaluates T(θ)."""

    trace: PieceTrace
    network: Network
    theta: Theta

    def prepared(self) -> tuple[PieceTrace, _core.Network, Theta]:
        links = self.network.links(self.trace.ranks)
        return self.trace, self.network.core_of(links), self.theta


def evaluated(
    job: tuple[PieceTrace, _core.Network, Theta], values: list[float], left: int
) -> PassFound:
    """Evaluates T on a worker at these values of θ, and left slopes at the first `left` values."""
    trace, network, theta = job
    along = theta.parameter, theta.fixed, theta.weight
    how = trace.how(1, lambda _bytes: None)
    found = trace.evaluate(network, along, np.array(values), left, how)
    return PassFound.of(values, found)


class SharedPasses:
    """Passes that workers share."""

    def __init__(self, address: str, trace: PieceTrace, network: Network, theta: Theta) -> None:
        """Connects to the workers; raises the errors of `Workers`."""
        self._workers = Workers(address)
        self._job = _Passes(trace, network, theta)
        self.threads = self._workers.threads

    def parts(self, values: list[float], left: int) -> list[tuple[list[float], int]]:
        """Divides a pass among workers, each of which reads the files."""
        size = max(-(-len(values) // self.threads), _FEWEST)
        return [
            (values[first : first + size], min(max(left - first, 0), size))
            for first in range(0, len(values), size)
        ]

    def evaluate(self, parts: list[tuple[list[float], int]]) -> PassFound:
        """Evaluates a pass. InputError: a worker cannot read the files."""
        try:
            found = self._workers.results(evaluated, self._job, parts)
        except OSError as error:
            raise InputError(f"--dask: a worker cannot read the trace: {error}") from error
        return together(found)


def together(parts: list[PassFound]) -> PassFound:
    """Joins results at parts of the values of θ, in order."""
    first = parts[0]
    return PassFound(
        values=[value for part in parts for value in part.values],
        T_ns=[runtime for part in parts for runtime in part.T_ns],
        right=[slope for part in parts for slope in part.right],
        left=[slope for part in parts for slope in part.left],
        far=first.far,
        vertices=first.vertices,
        edges=first.edges,
        messages=first.messages,
        bytes=first.bytes,
        nodes=first.nodes,
        most_held=max(part.most_held for part in parts),
        warnings=list(dict.fromkeys(notice for part in parts for notice in part.warnings)),
    )
