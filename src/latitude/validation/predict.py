"""From traces to T(ΔL): nothing in here knows what was measured."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from latitude._core import InputError
from latitude.analysis import tolerances_of
from latitude.network import Network
from latitude.program import Program
from latitude.theta import theta_of

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


def predict(
    programs: Sequence[Program],
    network: Network,
    base_ns: float,
    deltas_ns: Sequence[float],
    tolerance: Sequence[float],
) -> Prediction:
    """T at the network's own L, `base_ns` and ΔL more."""
    delta = np.asarray(deltas_ns, dtype=np.float64)
    grid = np.linspace(0.0, float(delta.max()), _POINTS)
    runtime, slope, curve, tolerated = [], [], [], []
    for program in programs:
        placed = network.placed_as(program.path)
        links = placed.links(program.ranks)
        theta = theta_of("L", placed, links)
        theta = replace(theta, base=theta.base + base_ns)
        dag = theta.compile(program.graph, placed.core_of(links))
        at_delta, _, right = dag.slopes(theta.base + delta)
        runtime.append(at_delta)
        slope.append(right)
        curve.append(dag.slopes(theta.base + grid)[0])
        found = tolerances_of(dag, theta, float(at_delta[0]), tolerance, ())
        tolerated.append([each.delta for each in found])
    if len({program.ranks for program in programs}) > 1:
        raise InputError("the traces have different numbers of ranks; remove their directory")
    return Prediction(
        delta_ns=delta,
        T_ns=np.median(runtime, axis=0),
        lambda_L=np.median(slope, axis=0),
        curve_delta_ns=grid,
        curve_T_ns=np.median(curve, axis=0),
        tolerance=tuple(
            zip(sorted(tolerance), map(float, np.median(tolerated, axis=0)), strict=True)
        ),
        least_T_ns=np.min(runtime, axis=0),
        most_T_ns=np.max(runtime, axis=0),
    )
