"""From traces to T(ΔL): nothing in here knows what was measured."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude._core import InputError
from latitude.analysis.analyze import tolerances_of
from latitude.model.network import Network
from latitude.model.theta import theta_of
from latitude.trace.program import Program

_POINTS = 101

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Prediction:
    """Of several traces the median at each ΔL; times in ns."""

    delta_ns: Floats
    T_ns: Floats
    lambda_L: Floats
    curve_delta_ns: Floats
    """Evenly spaced, for the plot."""
    curve_T_ns: Floats
    tolerance: tuple[tuple[float, float], ...]
    """Degradations and the ΔL tolerated, inf when unbounded."""
    least_T_ns: Floats
    """Of the traces, at `delta_ns`."""
    most_T_ns: Floats


@dataclass(frozen=True, slots=True)
class OfTrace:
    """What one trace predicts, as `Prediction` has it."""

    ranks: int
    T_ns: Floats
    lambda_L: Floats
    curve_T_ns: Floats
    tolerated_ns: tuple[float, ...]


def of_trace(
    program: Program,
    network: Network,
    base_ns: float,
    deltas_ns: Sequence[float],
    tolerance: Sequence[float],
) -> OfTrace:
    """T at the network's own L, `base_ns` and ΔL more."""
    placed = network.placed_as(program.path)
    links = placed.links(program.ranks)
    theta = theta_of("L", placed, links)
    theta = replace(theta, base=theta.base + base_ns)
    dag = theta.along(_core.Model(program.graph, placed.core_of(links)))
    T_ns, _, right = dag.slopes(theta.base + np.asarray(deltas_ns, dtype=np.float64))
    found = tolerances_of(dag, theta, float(T_ns[0]), tolerance, ())
    return OfTrace(
        ranks=program.ranks,
        T_ns=T_ns,
        lambda_L=right,
        curve_T_ns=dag.slopes(theta.base + _grid(deltas_ns))[0],
        tolerated_ns=tuple(each.delta for each in found),
    )


def median_of(
    traces: Sequence[OfTrace], deltas_ns: Sequence[float], tolerance: Sequence[float]
) -> Prediction:
    """What the traces predict together."""
    if len({trace.ranks for trace in traces}) > 1:
        raise InputError("the traces have different numbers of ranks; remove their directory")
    runtime = [trace.T_ns for trace in traces]
    tolerated = np.median([trace.tolerated_ns for trace in traces], axis=0)
    return Prediction(
        delta_ns=np.asarray(deltas_ns, dtype=np.float64),
        T_ns=np.median(runtime, axis=0),
        lambda_L=np.median([trace.lambda_L for trace in traces], axis=0),
        curve_delta_ns=_grid(deltas_ns),
        curve_T_ns=np.median([trace.curve_T_ns for trace in traces], axis=0),
        tolerance=tuple(zip(sorted(tolerance), map(float, tolerated), strict=True)),
        least_T_ns=np.min(runtime, axis=0),
        most_T_ns=np.max(runtime, axis=0),
    )


def _grid(deltas_ns: Sequence[float]) -> Floats:
    return np.linspace(0.0, float(max(deltas_ns)), _POINTS)
