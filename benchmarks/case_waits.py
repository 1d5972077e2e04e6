"""What waits and efficiencies cost beside T itself, in sweeps: T at one θ of the compiled graph."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from latitude import _core

from harness import Report, median
from inputs import EAGER_LIMIT, Inputs

_BASELINE = np.array([3000.0])
_SWEEPS = 20
"""A sweep is too short for the clock of a process."""


@dataclass(frozen=True)
class _Part:
    """A step of `latitude analyze`."""

    name: str
    call: Callable[[], object]
    repeats: int = 1
    at_most: float | None = None


def run(inputs: Inputs, report: Report, runs: int) -> None:
    """Each in turn with a sweep, in processor time: other work on the machine counts little."""
    for make in inputs.makers():
        made = make()
        _parts(made.name, made.graph, report, runs)


def _parts(name: str, graph: _core.Graph, report: Report, runs: int) -> None:
    network = _core.Network(L=3000.0, o=5000.0, G=0.018, S=EAGER_LIMIT)
    model = _core.Model(graph, network)
    dag = model.along()
    schedule = model.schedule()
    parts = [
        _Part("waits and delays, beside a schedule", model.waits, at_most=5),
        _Part("ideal runtime, beside a schedule", model.ideal_runtime, 100, at_most=5),
        _Part("each vertex read once: computation", lambda: _core.Model(graph, network).work(), 5),
        _Part("a schedule", lambda: _core.Model(graph, network).schedule()),
        _Part("compiling", lambda: _core.Model(graph, network).along()),
        _Part("critical path and slack", lambda: _core.Model(graph, network).critical_path()),
    ]
    sweep = _Part("", lambda: dag.runtime(_BASELINE, 1), _SWEEPS)
    case = f"Waits and efficiencies · {name}, {graph.vertices:,} vertices"
    for part in parts:
        pairs = [(_processor_s(part), _processor_s(sweep)) for _ in range(runs)]
        ratios = [of_part / of_sweep for of_part, of_sweep in pairs]
        report.add(
            case,
            part.name,
            median(ratios),
            "sweeps",
            at_most=part.at_most,
            note=f"{median([of_part for of_part, _ in pairs]) * 1e3:.2f} ms",
            samples=ratios,
        )
    del schedule


def _processor_s(part: _Part) -> float:
    """Processor time of one call."""
    begin = time.process_time()
    for _ in range(part.repeats):
        part.call()
    return (time.process_time() - begin) / part.repeats
