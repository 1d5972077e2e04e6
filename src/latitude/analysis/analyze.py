"""Execution graph and network → a result: the answer, then its sections."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

import numpy as np
from msgspec.structs import asdict

from latitude import _core
from latitude.analysis.ahead import Ahead
from latitude.analysis.algorithms import on_nodes
from latitude.analysis.answer import CRITICAL, Questions, answer, question
from latitude.analysis.context import PATHS, GraphContext
from latitude.analysis.cpu_gaps import JobOptions, with_cpu_gaps
from latitude.analysis.cpu_order import in_order
from latitude.analysis.otherwise import Otherwise, were
from latitude.analysis.question_options import QuestionOptions
from latitude.analysis.section import Finder, chosen
from latitude.files.progress import Progress, Silent
from latitude.model.default_network import network_or_default
from latitude.model.network import Network, warnings_of
from latitude.model.theta import TOLERANCES, Sweep
from latitude.results.analysis import Analysis
from latitude.trace.nccl_costs import NcclMachine
from latitude.trace.program import Program
from latitude.units.arguments import instance
from latitude.units.options import taken


def analyze(
    program: Program,
    network: Network | None = None,
    *,
    latency: tuple[float, float] | str | None = None,
    sweep: Sweep | str | None = None,
    tolerance: Sequence[float] | str = TOLERANCES,
    limit: Sequence[float | str] | str = (),
    cost: Sequence[float | str] | str = (),
    what_if: Sequence[Otherwise | str] | str = (),
    cpu_gaps: float | str = 1.0,
    step: float | str | None = None,
    nccl: NcclMachine | str | None = None,
    critical: int | None = CRITICAL,
    each_call: bool = False,
    sections: Sequence[str] | str | None = None,
    without: Sequence[str] | str = (),
    threads: int = 0,
    progress: Progress | None = None,
) -> Analysis:
    """Analyses a program on a network.

    T, λ, tolerances, the curve and the critical latencies come first, then the sections. If a
    section fails, the result lacks it, with a warning and a row in `Analysis.left_out`.

    Args:
        program: the result of `latitude.load`.
        network: LogGPS parameters; by default the user's default network, or else `Network()`.
        latency: interval of L, in ns or as `"3us:103us"`; by default L to L + 100 µs, or as far as
            the tolerances.
        sweep: another parameter θ to vary in place of L, for example `"l_wire=274ns:3us"` or `"G"`;
            with a topology l_wire is the default.
        tolerance: degradations for which to find the tolerated θ: 0.01 for 1 % slower, or
            `"1%,2%"`.
        limit: runtimes for which to find the tolerated θ, in ns, or as `"2.5s"`.
        cost: extra amounts of θ whose cost is wanted, in ns, or as `"300ns"`.
        what_if: changes of the program with which to find T, λ and the tolerances again.
            `"balanced"` is one; `"solve=0.5"` is a factor on the computation before the calls of a
            function, a line or a kind. Changes of a job are `"all_reduce=tree"`, `"nccl=20us"` and
            `"ranks-per-node=16"`.
        cpu_gaps: factor on the time that a job's CPUs take between launches, which profiling
            lengthens; or "recorded" or "none".
        step: duration of a job's steps without the profiler, ns or `"145ms"`, from which the factor
            on its CPU gaps follows.
        nccl: the machine for which NCCL's cost model compares algorithms of a job, as in
            `"gpu=ampere,channels=8"`.
        critical: largest number of listed breakpoints, from the interval's lower end; None means
            all. Beyond the listed breakpoints T is known within 0.01 %.
        each_call: keep the times of each single call, in `waits.each`.
        sections: the sections to find (`latitude.sections.SECTIONS`); None means all.
        without: sections to leave out.
        threads: threads for the critical latencies, and for T, slack and the critical path at the
            same time; 0 means one per core.
        progress: display of the progress.

    Raises:
        InputError: the options are wrong, a limit is below the runtime already, or `program` is the
            path of a trace.
    """
    instance(program, Program, "program", 'latitude.load("run")')
    network = network_or_default(network).placed_as(program.path)
    if program.job is not None and program.job.has_times:
        network = network.beyond_recorded()
    asked = taken(QuestionOptions, "sections", sections)
    wanted = chosen(asked, taken(QuestionOptions, "without", without))
    others = taken(QuestionOptions, "what_if", what_if)
    shares: Sequence[float] = taken(QuestionOptions, "tolerance", tolerance)
    limits = taken(QuestionOptions, "limit", limit)
    costs = taken(QuestionOptions, "cost", cost)
    program = in_order(program, network)
    links = network.links(program.ranks)
    machine = taken(JobOptions, "nccl", nccl)
    if program.job is None and machine is not None:
        raise _core.InputError(f"{program.path}: --nccl is for jobs of PyTorch alone")
    if program.job is not None:
        program = replace(program, graph=on_nodes(program.graph, program.job, links))
    recorded = program.graph
    program = with_cpu_gaps(
        program, network, taken(JobOptions, "cpu_gaps", cpu_gaps), taken(JobOptions, "step", step)
    )
    theta, interval = question(network, links, latency, sweep)
    model = _core.Model(program.graph, network.core_of(links))
    with closing(Ahead(threads, program.graph.vertices)) as ahead:
        context = GraphContext(
            program=program,
            network=network,
            links=links,
            theta=theta,
            model=model,
            each_call=each_call,
            recorded=recorded,
            nccl=machine or NcclMachine(),
            progress=progress or Silent(),
            compiled=ahead.piece(lambda: theta.along(model)),
        )
        finder = Finder(context, wanted)
        context.slack = ahead.piece(lambda: model.find_slack(PATHS), begin=finder.needs_slack())
        context.find_path()
        finder.find_while_held("schedule")  # the schedule takes as much memory as the curve's data
        found = answer(Questions(interval, shares, limits, costs, critical, threads), context)
        finder.find()
    analysis = Analysis(
        **asdict(found),
        **finder.found,
        what_if=[were(context, each, shares) for each in others],
        left_out=finder.left_out,
        warnings=program.warnings + warnings_of(network) + context.warnings + finder.warnings,
        links=links,
        path=context.path,
        path_call_site=np.broadcast_to(context.site_of_step, context.path.vertex.shape),
    )
    _core.release_freed()  # before pages and files take more memory
    return analysis
