"""From traces to T(ΔL): nothing in this file knows what was measured. Times in ns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude._types import Floats
from latitude.analysis.analyze import tolerances_of
from latitude.model.network import Network
from latitude.model.theta import theta_of
from latitude.trace.program import Program

_POINTS = 101


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be predicted."""

    deltas_ns: Sequence[float]
    """Rising, the first is 0."""
    tolerance: Sequence[float]
    """Degradations."""

    @property
    def grid_ns(self) -> Floats:
        """Evenly spaced ΔL, for the plot."""
        return np.linspace(0.0, float(max(self.deltas_ns)), _POINTS)


@dataclass(frozen=True, slots=True)
class Prediction:
    """What one trace predicts, or of several the median."""

    ranks: int
    T_ns: Floats
    """At each ΔL."""
    lambda_L: Floats
    curve_T_ns: Floats
    """On the grid."""
    tolerated_ns: Floats
    """The ΔL at which T is longer by each degradation, rising; inf when it never is."""
    range_ns: tuple[Floats, Floats]
    """Least and most T of the traces, at each ΔL."""


def of_trace(program: Program, network: Network, base_ns: float, asked: Asked) -> Prediction:
    """T at the network's own L, `base_ns` and ΔL more."""
    placed = network.placed_as(program.path)
    links = placed.links(program.ranks)
    theta = theta_of("L", placed, links)
    theta = replace(theta, base=theta.base + base_ns)
    dag = theta.along(_core.Model(program.graph, placed.core_of(links)))
    T_ns, _, right = dag.slopes(theta.base + np.asarray(asked.deltas_ns, dtype=np.float64))
    found = tolerances_of(dag, theta, float(T_ns[0]), asked.tolerance, ())
    return Prediction(
        ranks=program.ranks,
        T_ns=T_ns,
        lambda_L=right,
        curve_T_ns=dag.slopes(theta.base + asked.grid_ns)[0],
        tolerated_ns=np.array([each.delta for each in found]),
        range_ns=(T_ns, T_ns),
    )


def median_of(traces: Sequence[Prediction]) -> Prediction:
    """What the traces predict together; InputError when they have different numbers of ranks."""
    ranks = {trace.ranks for trace in traces}
    if len(ranks) > 1:
        raise InputError("the traces have different numbers of ranks; remove their directory")

    def median(name: str) -> Floats:
        found: Floats = np.median([getattr(trace, name) for trace in traces], axis=0)
        return found

    runtimes = [trace.T_ns for trace in traces]
    return Prediction(
        ranks=ranks.pop(),
        T_ns=median("T_ns"),
        lambda_L=median("lambda_L"),
        curve_T_ns=median("curve_T_ns"),
        tolerated_ns=median("tolerated_ns"),
        range_ns=(np.min(runtimes, axis=0), np.max(runtimes, axis=0)),
    )
