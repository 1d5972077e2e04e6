"""Efficiencies of a program, recorded and predicted, as functions of θ (POP; Rosas et al. 2014)."""

import math

import numpy as np
from msgspec.structs import replace

from latitude import _core
from latitude._types import Floats
from latitude.model.theta import Theta
from latitude.results.answer import Curve
from latitude.sections.efficiency.result import (
    OF_THETA,
    Efficiency,
    EfficiencyCurve,
    Fractions,
    Threshold,
)
from latitude.trace.program import RecordedRun

LEAST = (0.95, 0.9, 0.8, 0.5)
"""Efficiencies for which results give the θ. POP's assessments call values below 0.8 poor."""


def efficiency_of(
    model: _core.Model,
    ideal_ns: float,
    dag: _core.AffineDag,
    theta: Theta,
    runtime_ns: float,
    curve: Curve,
    run: RecordedRun | None,
) -> Efficiency:
    """Efficiencies of a graph on a network.

    Args:
        model: the graph on the network.
        ideal_ns: its `ideal_runtime`.
        dag: T(θ).
        theta: the parameter that `dag` and `curve` vary.
        runtime_ns: T at the baseline.
        curve: T at evenly spaced values of θ.
        run: the recorded run.
    """
    useful = model.work().useful_ns
    found = predicted_efficiency(useful, ideal_ns, model.network.compute_scale, runtime_ns, curve)
    return replace(
        found,
        traced=None if run is None else traced(run, useful, ideal_ns),
        thresholds=_thresholds(dag, theta, found.predicted),
    )


def predicted_efficiency(
    useful_ns: Floats, ideal_ns: float, scale: float, runtime_ns: float, curve: Curve
) -> Efficiency:
    """Efficiencies on a network, at the baseline and along the curve.

    Args:
        useful_ns: (processes,) computation of each process in the graph.
        ideal_ns: T of the graph if messages cost nothing.
        scale: the network's compute_scale, a factor on both.
        runtime_ns: T at the baseline.
        curve: T at evenly spaced values of θ.
    """
    predicted = Fractions.of(*_mean_and_most(scale * useful_ns), runtime_ns, scale * ideal_ns)
    return Efficiency(
        processors=int(useful_ns.size),
        predicted=predicted,
        curve=_curve(curve, predicted),
        traced=None,
        thresholds=[],
    )


def traced(run: RecordedRun, useful_ns: Floats, ideal_ns: float) -> Fractions:
    """Efficiencies of the recorded run.

    Args:
        run: the run.
        useful_ns: computation of each process in the run's graph.
        ideal_ns: T of that graph if messages cost nothing.
    """
    mean, most = _mean_and_most(useful_ns)
    if run.useful_ns is None:
        return Fractions.of(mean, most, run.runtime_ns, ideal_ns)
    return Fractions.of(*_mean_and_most(run.useful_ns), run.runtime_ns, ideal_ns, most)


def _mean_and_most(useful_ns: Floats) -> tuple[float, float]:
    return float(useful_ns.mean()), float(useful_ns.max())


def _work_of(name: str, of: Fractions) -> float:
    """The time (ns) whose share of T is this efficiency."""
    works = (of.useful_mean_ns, of.useful_max_ns, of.T_ideal_ns)
    return dict(zip(OF_THETA, works, strict=True))[name]


def _curve(curve: Curve, of: Fractions) -> EfficiencyCurve:
    shares = {
        name: np.divide(
            _work_of(name, of), curve.T_ns, out=np.ones(curve.T_ns.size), where=curve.T_ns > 0
        )
        for name in OF_THETA
    }
    return EfficiencyCurve(value=curve.value, **shares)


def _thresholds(dag: _core.AffineDag, theta: Theta, of: Fractions) -> list[Threshold]:
    """The highest θ with w / T ≥ e, that is, T ≤ w / e, for each e in LEAST; w is `_work_of`."""
    asked = [(name, least, _work_of(name, of) / least) for name in OF_THETA for least in LEAST]
    at_zero = dag.runtime_at(0.0)
    limits = np.array(sorted({limit for *_, limit in asked if limit >= at_zero}))
    found = dag.tolerance(limits, 0.0).tolist() if limits.size else []
    value_of = dict(zip(limits.tolist(), found, strict=True))
    thresholds = []
    for name, least, limit in asked:
        reached = limit >= of.T_ns
        value = value_of.get(limit, math.nan)
        thresholds.append(
            Threshold(
                efficiency=name,
                least=least,
                reached=reached,
                value=value,
                delta=value - theta.base,
            )
        )
    return thresholds
