"""Alternatives side by side: T, λ, ρ and tolerances of each (Shen et al. 2024, §IV)."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude.analysis.answer import curve_of, path_parts, question, tolerances_of
from latitude.analysis.context import JOB_COSTS, LeftOutError
from latitude.analysis.cpu_order import in_order
from latitude.analysis.map.around import SliderBox
from latitude.analysis.path import steps
from latitude.analysis.variants import Alternative, Varied, alternatives
from latitude.files.progress import Progress, Silent
from latitude.model.cluster_file import Description
from latitude.model.network import Network, warnings_of
from latitude.model.placement import Placement
from latitude.model.theta import TOLERANCES, Sweep, Theta
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.results.answer import GraphInfo, Interval
from latitude.results.comparison import Compared, ComparedTheta, Comparison
from latitude.trace.program import Program
from latitude.trace.recording import CPU_ORDERS, Recording
from latitude.units.arguments import instance


def compare(
    recording: Recording,
    varied: Sequence[Varied | str],
    network: Description | None = None,
    *,
    collectives: Sequence[str] = (),
    reduce_ns_per_byte: float = 0.0,
    skip_unsupported: bool = False,
    async_progress: bool = False,
    through: Sequence[str] = (),
    cpu_order: str = CPU_ORDERS[0],
    assume: Sequence[str] = (),
    latency: tuple[float, float] | str | None = None,
    sweep: Sweep | str | None = None,
    tolerance: Sequence[float] = TOLERANCES,
    threads: int = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Compares every combination of the varied choices on one recording.

    Args:
        recording: the result of `latitude.read`, which no longer has its trace afterwards.
        varied: e.g. `["allreduce=recursive-doubling,ring", "S=64KiB,256KiB"]`;
            docs/how-to/compare.md.
        network: the network's parameters that all alternatives share, as texts.
        collectives: algorithms that all alternatives share.
        reduce_ns_per_byte: as in `latitude.load`.
        skip_unsupported: as in `latitude.load`.
        async_progress: as in `latitude.load`.
        through: as in `latitude.load`.
        cpu_order: as in `latitude.load`.
        assume: as in `latitude.load`.
        latency: as in `latitude.analyze`.
        sweep: as in `latitude.analyze`.
        tolerance: degradations of each alternative's own T for which to find the tolerated θ.
        threads: threads to build graphs with; 0 means one per core.
        progress: display of the progress.

    Raises:
        InputError: an alternative is unknown or impossible.
    """
    progress = progress or Silent()
    instance(recording, Recording, "recording", 'latitude.read("run")')
    runs = comparable(recording, varied, collectives, network)
    networks = [run.network.network().placed_as(recording.path) for run in runs]
    linked = [(network, network.links(recording.ranks)) for network in networks]
    asked = [question(*each, latency, sweep) for each in linked]
    if len({theta.name for theta, _ in asked}) > 1:
        raise InputError(
            "some alternatives have a topology and some have none; choose the parameter to vary "
            "with --sweep L"
        )
    theta = asked[0][0]
    interval = _common([interval or theta.default_interval() for theta, interval in asked])
    box = SliderBox(linked, theta.name, interval[1], progress)
    found: dict[int, Compared] = {}
    warnings: list[Notice] = []
    how: dict[str, Any] = {
        "reduce_ns_per_byte": reduce_ns_per_byte,
        "skip_unsupported": skip_unsupported,
        "async_progress": async_progress,
        "through": through,
        "cpu_order": cpu_order,
        "assume": assume,
        "threads": threads,
    }
    for i, program in built(recording, runs, progress, **how):
        chosen_on = in_order(program, networks[i])
        warnings += chosen_on.warnings
        found[i] = _measured(runs[i], chosen_on, networks[i], asked[i][0], interval, tolerance)
        box.add(i, runs[i].label, chosen_on.graph, *linked[i], found[i].path)
    sliders = None
    try:
        sliders = box.found()
    except LeftOutError as error:
        warnings.append(kinds.SECTION_LEFT_OUT(f"sliders left out: {error}", section="sliders"))
    warnings += [notice for n in networks for notice in warnings_of(n)]
    return Comparison(
        provenance=recording.provenance(),
        trace=recording.info,
        varied=ComparedTheta(name=theta.name, meaning=theta.meaning, unit=theta.unit),
        span=Interval(low=interval[0], high=interval[1]),
        alternatives=[found[i] for i in range(len(runs))],
        sliders=sliders,
        warnings=list(dict.fromkeys(warnings)),
    )


def comparable(
    recording: Recording,
    varied: Sequence[Varied | str],
    collectives: Sequence[str],
    network: Description | None,
) -> list[Alternative]:
    """The alternatives on a recording. InputError: the recording has no such alternatives."""
    things = [Varied.parse(v) if isinstance(v, str) else v for v in varied]
    runs = alternatives(things, collectives, network)
    if recording.job is not None:
        raise InputError(
            f"{recording.path}: {JOB_COSTS}; analyse it with --latency LOW:HIGH or --sweep instead "
            "of comparing networks"
        )
    if recording.trace is None and any(thing.collective for thing in things):
        raise InputError(
            f"{recording.path}: a GOAL file's collectives are already point-to-point; compare "
            "their algorithms on the trace the file was made from"
        )
    return runs


def built(
    recording: Recording, runs: Sequence[Alternative], progress: Progress, **how: Any
) -> Iterator[tuple[int, Program]]:
    """Number and program of each alternative. Alternatives with the same collectives share a graph.

    Args:
        recording: the run, which no longer has its trace afterwards.
        runs: the alternatives.
        progress: the display of the progress.
        how: arguments of `Recording.program`.
    """
    graphs = list(dict.fromkeys(run.collectives for run in runs))
    for number, chosen in enumerate(graphs):
        last = number + 1 == len(graphs)
        program = recording.program(chosen, consume=last, progress=progress, **how)
        progress.stage(f"Comparing {len(runs)} alternatives")
        for i, run in enumerate(runs):
            if run.collectives == chosen:
                yield i, program


def _common(intervals: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The smallest interval that contains all intervals."""
    return min(low for low, _ in intervals), max(high for _, high in intervals)


def _measured(
    run: Alternative,
    program: Program,
    network: Network,
    theta: Theta,
    interval: tuple[float, float],
    tolerance: Sequence[float],
) -> Compared:
    graph = program.graph
    links = network.links(program.ranks)
    model = _core.Model(graph, network.core_of(links))
    dag = theta.along(model)
    core_path = model.critical_path()
    runtime, slope = (float(a[0]) for a in dag.tangents(np.array([theta.base])))
    placed = network.placement is not None or network.topology is not None
    return Compared(
        label=run.label,
        choices=dict(run.choices),
        graph=GraphInfo.of(graph),
        collectives=program.collectives,
        parameters=network.describe(),
        topology=None if network.topology is None else network.topology.describe(),
        placement=(network.placement or Placement()).describe(program.ranks) if placed else None,
        nodes_used=links.nodes_used,
        nodes=None if network.topology is None else network.topology.nodes,
        base=theta.base,
        T_ns=runtime,
        slope=slope,
        share=theta.base * slope / runtime if runtime > 0 else 0.0,
        path=path_parts(core_path, steps(core_path, graph), links),
        tolerance=tolerances_of(dag, theta, runtime, tolerance, ()),
        curve=curve_of(dag, interval),
        network=network,
        theta=theta,
    )
