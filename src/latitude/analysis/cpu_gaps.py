"""A job whose CPUs launch faster than they did under the profiler."""

from dataclasses import dataclass, replace

import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude.model.network import Network
from latitude.trace.jobs.job import RecordedJob
from latitude.trace.nccl_costs import NcclMachine
from latitude.trace.program import Program
from latitude.units.options import Options, option
from latitude.units.quantities import format_time, parse_number, parse_time

_NAMED = {"recorded": 1.0, "none": 0.0}
_MOST = 1000.0
_HALVINGS = 40


def parse_cpu_gaps(text: str) -> float:
    """Parses `recorded`, `none`, or a factor."""
    return _NAMED[text] if text in _NAMED else parse_number(text, "a factor", 0, _MOST)


@dataclass(kw_only=True)
class JobOptions(Options, topic="questions"):
    """Options for a job's CPUs and collectives."""

    cpu_gaps: float = option(
        "CPU time of a job between launches, which profiling lengthens: recorded, none, or a "
        "factor, e.g. 0.3 (default: recorded)",
        "FACTOR",
        parse_cpu_gaps,
        default=1.0,
    )
    step: float | None = option(
        "duration of a job's profiled steps without the profiler, e.g. 145ms; gives the factor of "
        "--cpu-gaps",
        "TIME",
        lambda text: parse_time(text, "step", "145ms"),
    )
    nccl: NcclMachine | None = option(
        "machine for which NCCL's cost model compares algorithms of a job, in part or as a whole "
        "(default: version=2.30,gpu=hopper,cpu=intel,channels=16,bandwidth=20GB/s, the bandwidth "
        "of a channel)",
        "KEY=VALUE,…",
        NcclMachine.parse,
    )


def with_cpu_gaps(program: Program, network: Network, factor: float, step: float | None) -> Program:
    """The job with the gaps between its CPUs' launches scaled.

    Args:
        program: a job; an MPI program is returned unchanged.
        network: the baseline.
        factor: factor on the gaps.
        step: a known T, ns, from which the factor follows, or None.

    Raises:
        InputError: the program is not a job, or no factor from 0 to 1 gives the step.
    """
    job = program.job
    if job is None:
        if step is not None or factor != 1:
            raise InputError(f"{program.path}: --cpu-gaps and --step are for jobs of PyTorch alone")
        return program
    if step is not None:
        if factor != 1:
            raise InputError("--step: the factor of --cpu-gaps follows from it; give one of them")
        factor = _factor(program.graph, job, network, step)
    if factor == 1:
        return program
    return replace(program, graph=scaled(program.graph, job, factor), cpu_gaps=factor)


def scaled(graph: _core.Graph, job: RecordedJob, factor: float) -> _core.Graph:
    """The graph with the time between launches multiplied by a factor."""
    factors = np.ones(graph.vertices)
    factors[job.cpu] = factor
    return graph.scaled(factors)


def _factor(graph: _core.Graph, job: RecordedJob, network: Network, step: float) -> float:
    """The factor with which T equals `step`, by bisection: T grows with the factor."""
    core = network.core(graph.ranks)

    def runtime(factor: float) -> float:
        return float(_core.Model(scaled(graph, job, factor), core).runtime())

    low, high = 0.0, 1.0
    least, most = runtime(low), runtime(high)
    if not least <= step <= most:
        raise InputError(
            f"--step: the recorded steps take {format_time(least)} without CPU gaps and "
            f"{format_time(most)} with all of them; {format_time(step)} is not between these"
        )
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if runtime(middle) > step else (middle, high)
    return low
