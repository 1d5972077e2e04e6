"""Execution graph × network → the answer and the sections of a result."""

from collections.abc import Sequence
from functools import partial

from latitude import _core
from latitude.analysis.answer import CRITICAL, Questions, answer, question, were
from latitude.analysis.call_sites import by_call_site, no_call_sites
from latitude.analysis.cpu_order import in_order
from latitude.analysis.iterations import iterations_of
from latitude.analysis.link_loads import link_loads
from latitude.analysis.longest_paths import PATHS, near_paths
from latitude.analysis.otherwise import Otherwise
from latitude.analysis.path import by_call, by_rank, stays
from latitude.analysis.question_options import QuestionOptions
from latitude.analysis.sections import Sections
from latitude.analysis.slack import NO_MESSAGES, messages_of
from latitude.analysis.waits import looks_at, notices_of, waits_of
from latitude.files.progress import Progress, Silent
from latitude.model.default_network import network_or_default
from latitude.model.network import Network, warnings_of
from latitude.model.theta import TOLERANCES, Sweep
from latitude.results.analysis import Analysis, GraphInfo, Interval
from latitude.results.assumptions import Assumptions
from latitude.trace.program import Program
from latitude.units.options import taken


def analyze(
    program: Program,
    network: Network | None = None,
    *,
    latency: tuple[float, float] | str | None = None,
    sweep: Sweep | str | None = None,
    tolerance: Sequence[float] | str = TOLERANCES,
    limit: Sequence[float | str] | str = (),
    what_if: Sequence[Otherwise | str] | str = (),
    critical: int | None = CRITICAL,
    each_call: bool = False,
    without: Sequence[str] = (),
    threads: int = 0,
    progress: Progress | None = None,
) -> Analysis:
    """Analyses a program on a network.

    T, λ, tolerances, the curve and the critical latencies come first, then the sections. If a
    section fails, the result lacks it, with a warning and a row in `Analysis.left_out`.

    Args:
        program: what `latitude.load` returned.
        network: LogGPS parameters; defaults are those of [S] §III.B.
        latency: interval of L to look at, ns or `"3us:103us"`; by default L to L + 100 µs.
        sweep: another parameter θ to vary in place of L, e.g. `"l_wire=274ns:3us"` or `"G"`; with
            a topology l_wire when neither is given.
        tolerance: degradations to find the tolerated θ of: 0.01 for 1 % slower, or `"1%,2%"`.
        limit: runtimes to find the tolerated θ of: ns, or `"2.5s"`.
        what_if: other computation to find T, λ and the tolerances with: `"balanced"`, or the factor
            on what is computed before the calls of a function, a line or a kind, `"solve=0.5"`.
        critical: how many critical values to list, from the interval's lower end; None means all.
            Beyond them T is known within 0.01 %.
        each_call: keep the times of each single call, in `waits.each`.
        without: sections to leave out (`results.left_out.SECTIONS`).
        threads: threads for the critical latencies; 0 means one per core.
        progress: told how far the work is.

    Raises:
        InputError: the options are wrong, or a limit is below the runtime already.
    """
    network = network_or_default(network).placed_as(program.path)
    progress = progress or Silent()
    sections = Sections(without, progress)
    others = taken(QuestionOptions, "what_if", what_if)
    shares: Sequence[float] = taken(QuestionOptions, "tolerance", tolerance)
    program = in_order(program, network)
    links = network.links(program.ranks)
    theta, interval = question(network, links, latency, sweep)
    asked = Questions(
        program=program,
        network=network,
        links=links,
        theta=theta,
        interval=interval,
        tolerance=shares,
        limits_ns=taken(QuestionOptions, "limit", limit),
        critical=critical,
        threads=threads,
    )
    model = _core.Model(program.graph, network.core_of(links))
    schedule = model.schedule()  # the path, the waits and the ideal runtime are taken from it
    found = answer(asked, model, progress)
    path, runtime = found.path, found.baseline.T_ns
    looks = looks_at(path, program.ranks)
    core_waits = sections.find("waits", partial(model.waits, each_call, looks), None)
    del schedule  # before slack, which takes most memory
    messages = sections.find("slack", partial(messages_of, model, PATHS), NO_MESSAGES)
    sites = sections.find(
        "call_sites",
        partial(by_call_site, program, path, messages.site_least_slack_ns, runtime),
        no_call_sites(path),
    )
    named_waits = partial(
        waits_of,
        ranks=program.ranks,
        where=sites.of_site,
        each_call_of=program.graph if each_call else None,
        looks=looks,
    )
    waits = None
    if core_waits is not None:
        waits = sections.find("waits", partial(named_waits, core_waits), None)
    pairs = messages.pairs
    analysis = Analysis(
        provenance=program.provenance(),
        trace=program.trace,
        graph=GraphInfo.of(program.graph),
        model=Assumptions.of(network, program),
        cpu_order=found.cpu_order,
        wildcards=program.wildcards,
        baseline=found.baseline,
        sensitivity=found.sensitivity,
        span=Interval(low=found.interval[0], high=found.interval[1]),
        tolerance=found.tolerance,
        curve=found.curve,
        breakpoints=found.breakpoints,
        critical=found.critical,
        intervals=found.intervals,
        efficiency=found.efficiency,
        what_if=[were(model, theta, each, sites, shares) for each in others],
        critical_path=stays(path),
        by_rank=by_rank(found.core_path, path),
        waits=waits,
        by_call=by_call(program.graph, path, program.trace.calls),
        by_call_site=sites.shares,
        iterations=sections.find(
            "iterations", partial(iterations_of, program.graph, path, sites.of_site), None
        ),
        pairs=pairs,
        listed_pairs=pairs.listed(),
        pair_blocks=pairs.blocks(program.ranks),
        link_loads=sections.find(
            "link_loads", partial(link_loads, pairs, links, network.topology), None, ["slack"]
        ),
        slack=messages.slack,
        near_paths=sections.find("near_paths", partial(near_paths, model, runtime), []),
        left_out=sections.left_out,
        warnings=program.warnings
        + sites.warnings
        + warnings_of(network)
        + found.warnings
        + notices_of(waits)
        + sections.warnings,
        network=network,
        links=links,
        path=path,
        path_call_site=sites.of_step,
    )
    _core.release_freed()  # before pages and files take memory of their own
    return analysis
