"""What an analysis says."""

import math
from typing import Any

from latitude.files import extras
from latitude.model.theta import Theta
from latitude.render.charts import theme
from latitude.render.document import (
    Beside,
    Bullets,
    Card,
    Cell,
    Content,
    Document,
    File,
    Line,
    Paragraph,
    Part,
    Section,
    Span,
    Table,
    code,
    origin,
    strong,
)
from latitude.render.documents.analysis_charts import (
    parts_of,
    runtime_chart,
    sensitivity_chart,
    sizes_chart,
    slower,
    split_chart,
)
from latitude.render.documents.call_stacks import call_stacks
from latitude.render.documents.efficiencies import efficiency_parts
from latitude.render.documents.iterations import iterations_parts
from latitude.render.documents.network_map import network_map
from latitude.render.documents.network_origin import network_sentence
from latitude.render.documents.otherwise import otherwise_parts
from latitude.render.documents.over_runs import over_runs_parts, over_runs_sentence
from latitude.render.documents.overheads import overheads_parts, overheads_sentence
from latitude.render.documents.pair_charts import pair_charts
from latitude.render.documents.path_chart import path_charts
from latitude.render.documents.path_shares import call_sites_parts, calls_section, split_table
from latitude.render.documents.recorded import recorded_parts, recorded_sentence
from latitude.render.documents.timeline_chart import timeline_charts
from latitude.render.documents.waits import waits_parts
from latitude.results.analysis import (
    Analysis,
    Bounds,
    Tolerance,
    breakpoints_csv,
    call_sites_csv,
    curve_csv,
    efficiency_csv,
)
from latitude.results.critical_path import NearPath
from latitude.results.messages import slack_csv
from latitude.units.quantities import counted, format_count, format_share, format_size, format_time

_PAIRED = 64
"""Up to so many ranks the two heat maps fit side by side."""
_WAYPOINTS = 2
"""Messages named of each of the longest paths."""
_COMMUNICATORS = 12
"""More are in slack.csv."""
_ASSUMED = (
    (
        "Computation between MPI calls takes as long as it did in the trace, whatever the "
        "latency: caches, turbo and noise are those of that run."
    ),
    "The program does the same whatever the latency: same messages, same matches, same order.",
    (
        "A rank's CPU does one thing at a time. The network is never congested: messages do not "
        "slow each other down."
    ),
)
_CONSTANT = "Latency is constant; random latency is not part of this page."
_METHOD = (
    "Method: T(L) of an MPI execution graph is convex and piecewise linear; its slope λ counts the "
    "latencies on the critical path. Shen et al., “LLAMP: Assessing Network Latency Tolerance of "
    "HPC Applications with Linear Programming”, SC’24. Computed exactly, without a linear program, "
    "by Latitude."
)


def analysis_document(analysis: Analysis) -> Document:
    """The page, the terminal's text and the files of an analysis."""
    answer = headline(analysis)
    return Document(
        kind=f"{analysis.theta.meaning} tolerance",
        name=analysis.name,
        title="latency tolerance",
        facts=_facts(analysis),
        headline=answer,
        answer=[
            _baseline_sentence(analysis),
            *filter(None, [over_runs_sentence(analysis), recorded_sentence(analysis)]),
            network_sentence(analysis.model.defaults, analysis.model.source),
            overheads_sentence(analysis.model.overheads),
        ],
        cards=_cards(analysis),
        parts=[
            runtime_chart(analysis, answer),
            _tolerances(analysis),
            _exact(analysis),
            *over_runs_parts(analysis),
            sensitivity_chart(analysis),
            split_chart(analysis),
            _split(analysis),
            *recorded_parts(analysis),
            *efficiency_parts(analysis),
            *otherwise_parts(analysis),
            *timeline_charts(analysis),
            *path_charts(analysis),
            *_near_paths(analysis),
            *iterations_parts(analysis),
            *call_sites_parts(analysis.by_call_site),
            *call_stacks(analysis),
            *waits_parts(analysis),
            *_messages(analysis),
            *network_map(analysis),
            *sizes_chart(analysis),
            calls_section(
                analysis.by_call, analysis.baseline.T_ns, sited=bool(analysis.by_call_site)
            ),
            _model(analysis),
            *overheads_parts(analysis.model.overheads),
        ],
        notices=analysis.warnings,
        files=_files(analysis),
        origin=origin(analysis.provenance),
        method=_METHOD,
        closing=_closing(analysis),
    )


def runtime_figure(analysis: Analysis) -> Any:
    """The first chart as a plotly figure, for notebooks. ImportError without plotly."""
    try:
        import plotly.graph_objects as go  # noqa: PLC0415 - slow to import, optional
    except ImportError as error:
        raise ImportError(f"a figure needs plotly: {extras.install('plotly')}") from error

    return go.Figure(runtime_chart(analysis, headline(analysis)).figure)


def headline(analysis: Analysis) -> str:
    """The answer in one sentence."""
    if not analysis.tolerance:
        return f"This program runs {format_time(analysis.baseline.T_ns)} on this network."
    first, *rest = analysis.tolerance
    theta = analysis.theta
    if math.isinf(first.delta):
        return _unbounded(analysis)
    parts = [
        (
            f"This program tolerates {theta.difference(first.delta, 3)} of extra {theta.meaning} "
            f"before it runs {slower(first)} slower"
        )
    ]
    parts += [
        f"{theta.difference(t.delta, 3)} before {slower(t)}" for t in rest if math.isfinite(t.delta)
    ]
    text = parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + ", and " + parts[-1]
    never = [slower(t) for t in rest if math.isinf(t.delta)]
    return text + (f"; it never becomes {never[0]} slower." if never else ".")


_LEFT_OUT = {
    "incomplete": "What was kept of this trace",
    "unsupported-skipped": "What is left of this program without the calls that were skipped",
}
"""Notices by which a program is not whole, and what was analysed instead."""


def _unbounded(analysis: Analysis) -> str:
    """Why no θ makes the program slower: T grows without end as soon as a message pays θ."""
    theta, links = analysis.theta, analysis.links
    if not analysis.graph.messages:
        for notice in analysis.warnings:
            if notice.code in _LEFT_OUT:
                return f"{_LEFT_OUT[notice.code]} sends no messages: it says nothing of latency."
        return "This program sends no messages: network latency cannot slow it down."
    inside = theta.name.endswith(":intra")
    ends = "ranks of one node" if inside else "ranks" if links.nodes is None else "nodes"
    if not inside and links.nodes is not None and links.nodes.size == 1:
        why = f"All {counted(analysis.trace.ranks, 'rank')} share one node"
    elif theta.parameter == "G":
        why = f"No message between {ends} holds more than one byte"
    else:
        why = f"This program sends no message between {ends}"
    return f"{why}: {theta.meaning}{'' if inside else ' between ' + ends} cannot slow it down."


def _baseline_sentence(analysis: Analysis) -> str:
    """T, λ_L and ρ_L in one sentence; and λ of another parameter than L in a second."""
    base, theta = analysis.baseline, analysis.theta
    at = f"At {theta.symbol} = {theta.text(theta.base)} it runs {format_time(base.T_ns)}"
    if base.lambda_L == 0:
        return f"{at}, and no message latency lies on its critical path (λ_L = 0)."
    between = " between nodes" if any(link.intra for link in analysis.links.classes) else ""
    noun, verb = ("latency", "lies") if base.lambda_L == 1 else ("latencies", "lie")
    text = (
        f"{at}; {format_count(base.lambda_L)} message {noun}{between} {verb} one after another on "
        f"its critical path (λ_L), {format_share(base.rho_L)} of its runtime (ρ_L)."
    )
    if theta.name == "L":
        return text
    step = "ns per byte" if theta.unit == "ns/B" else "ns"
    slope = format_count(analysis.sensitivity.slope)
    return f"{text} Each extra {step} of {theta.symbol} costs {slope} ns (λ_{theta.symbol})."


def _facts(analysis: Analysis) -> list[str]:
    trace, graph = analysis.trace, analysis.graph
    calls = [] if trace.events is None else [counted(trace.events, "MPI call")]
    return [
        counted(trace.ranks, "rank"),
        *calls,
        counted(graph.vertices, "operation"),
        counted(graph.messages, "message"),
        f"{format_size(graph.bytes)} sent",
        trace.format,
        f"analysed {analysis.provenance.date[:10]}",
    ]


def _cards(analysis: Analysis) -> list[Card]:
    base, theta = analysis.baseline, analysis.theta
    cards = [
        Card("runtime T", format_time(base.T_ns), f"at {theta.symbol} = {theta.text(theta.base)}"),
        Card("sensitivity λ", format_count(base.lambda_L), "latencies on the critical path"),
        Card("latency share ρ", format_share(base.rho_L), "of the runtime"),
    ]
    if analysis.tolerance:
        first = analysis.tolerance[0]
        value = "∞" if math.isinf(first.delta) else _extra(analysis, first)
        cards.append(Card(f"{slower(first)} tolerance", value, f"extra {theta.meaning}"))
    return cards


def _extra(analysis: Analysis, tolerance: Tolerance) -> str:
    """How much more of θ is tolerated, or that there is no limit: `+12.3 µs`, `unlimited`."""
    if math.isinf(tolerance.delta):
        return "unlimited"
    return f"+{analysis.theta.difference(tolerance.delta)}"


def _tolerances(analysis: Analysis) -> Table:
    """One row per limit."""
    theta = analysis.theta
    known = {each.degradation: each.delta for each in analysis.intervals.tolerance}
    rows: list[list[Content]] = []
    for index, tolerance in enumerate(analysis.tolerance):
        interval = [_interval(theta, known.get(tolerance.degradation))] if known else []
        rows.append(
            [
                Cell(f"{slower(tolerance)} slower", colour=theme.zone_colour(index)),
                strong(_extra(analysis, tolerance)),
                *interval,
                theta.text(tolerance.value) if math.isfinite(tolerance.value) else "any",
                format_time(tolerance.T_limit_ns, 5),
            ]
        )
    heads = ["90 % interval"] if known else []
    head = ("limit", f"extra {theta.meaning}", *heads, theta.symbol, "runtime T")
    return Table(head, rows, title="Tolerance", brief=len(rows))


def _interval(theta: Theta, bounds: Bounds | None) -> str:
    """Between which values the tolerated Δθ lies."""
    if bounds is None or math.isinf(bounds.low):
        return "–"
    if math.isinf(bounds.high):
        return f"over +{theta.difference(bounds.low, 3)}"
    return f"+{theta.difference(bounds.low, 3)} to +{theta.difference(bounds.high, 3)}"


def _exact(analysis: Analysis) -> Section:
    """How far T and λ may be off, and what is not known of that."""
    found = analysis.intervals
    items: list[Line] = []
    if found.T_ns is not None and found.slope is not None:
        T, slope = found.T_ns, found.slope
        items.append(
            f"By what the network's parameters were measured with, T lies between "
            f"{format_time(T.low, 5)} and {format_time(T.high, 5)}, λ between "
            f"{format_count(slope.low)} and {format_count(slope.high)} (90 % intervals)."
        )
    items += [f"Not known: {each}." for each in found.not_known]
    return Section("How far this may be off", [Bullets(items)])


def _split(analysis: Analysis) -> Section:
    """The four parts of T on the terminal; the page has a chart of them."""
    low, high = (
        analysis.theta.text(value) for value in (analysis.interval[0], analysis.critical.until)
    )
    bends = counted(analysis.critical.listed, "critical value")
    if not analysis.critical.complete:
        bends = f"the first {bends}"
    return Section(
        "Critical path",
        [split_table(parts_of(analysis))],
        note=f"{bends} of {analysis.theta.symbol} between {low} and {high}",
        page=False,
    )


def _near_paths(analysis: Analysis) -> list[Section]:
    """The paths that are next in line, where there are others than the critical one."""
    if len(analysis.near_paths) < 2:  # noqa: PLR2004 - one alone is the critical path
        return []
    rows = [
        (
            strong(f"{number}."),
            format_time(path.length_ns, 6),
            "critical" if number == 1 else format_time(path.shorter_ns, 3),
            f"{path.messages:,}",
            f"{path.others:,}",
            f"{path.skipped:,}",
            _via(path, _WAYPOINTS) + (", …" if path.others > _WAYPOINTS else "") or "–",
        )
        for number, path in enumerate(analysis.near_paths, 1)
    ]
    head = ("path", "length", "shorter by", "messages", "other", "without", "through")
    return [
        Section(
            "Next in line",
            [Table(head, rows, "near")],
            reading=near_sentence(analysis),
            note="The longest paths that differ in the messages they wait for; “other” and "
            "“without” compare them to the critical path's. Making the critical path faster gains "
            "no more than the distance to the next one; then that one is critical.",
        )
    ]


def near_sentence(analysis: Analysis) -> str:
    """How far the second longest path is, and where it goes."""
    _, second, *_ = analysis.near_paths
    tied = sum(not path.shorter_ns for path in analysis.near_paths)
    if tied > 1:
        many = f"{tied} or more" if tied == len(analysis.near_paths) else f"{tied}"
        return (
            f"{many} paths are equally long: all must get shorter before the program runs faster."
        )
    share = second.shorter_ns / analysis.baseline.T_ns
    where = f"goes through {_via(second, 1)}" if second.others else "waits for fewer messages"
    return (
        f"The second path is {format_time(second.shorter_ns, 3)} shorter ({format_share(share)} of "
        f"the runtime); it {where}."
    )


def _via(path: NearPath, count: int) -> str:
    """The first `count` messages that tell a path from the critical one."""
    return ", ".join(f"rank {w.source} → {w.destination} ({w.call})" for w in path.through[:count])


def _messages(analysis: Analysis) -> list[Part]:
    """Pairs of ranks and slack, where there are messages."""
    if not len(analysis.pairs):
        return []
    charts = pair_charts(analysis)
    groups = [*analysis.slack.by_call]
    if len(analysis.slack.by_comm) > 1:
        groups += analysis.slack.by_comm[:_COMMUNICATORS]
    rows = [
        (
            code(group.name) if "MPI_" in group.name else group.name,
            f"{group.messages:,}",
            f"{group.critical:,}",
            f"{group.tight:,}",
            format_time(group.least_ns),
            format_time(group.mean_ns),
        )
        for group in groups
    ]
    head = ("messages of", "messages", "critical", "less than L", "least slack", "mean slack")
    listed, every = len(analysis.listed_pairs), len(analysis.pairs)
    pairs = "every pair" if listed == every else f"the {listed:,} pairs that matter most"
    return [
        *([Beside(charts)] if analysis.trace.ranks <= _PAIRED else charts),
        Table(head, rows),
        Paragraph(
            "By the call that posted the receive. Critical: without slack. Less than L: one more "
            "L on each latency of this message alone (a rendezvous has several) delays the "
            f"program. slack.csv has {pairs}.",
            muted=True,
        ),
    ]


_MEANING = {
    "L": "latency of a message",
    "o": "CPU time of a message, at each end",
    "G": "time a byte takes on the wire",
    "S": "largest message sent eagerly",
    "S_isend": "the same of MPI_Isend and its kind",
    "g": "least time between two messages of a rank",
    "O": "CPU time a byte, at each end",
    "l_wire": "latency of a wire",
    "d_switch": "latency of a switch; over h of them a message takes (h + 1)·l_wire + h·d_switch",
    "L_intra": "latency inside a node",
    "G_intra": "time a byte takes inside a node",
    "gap": "who holds a rank's messages max(g, B) apart",
    "computation": "so many times what was recorded",
}
_RENDEZVOUS = {
    "handshake": "request, answer, data: three latencies",
    "put": "request, answer, data put, acknowledgement, notice: five latencies",
    "get": "request, data asked for and got: three latencies, a fourth to the sender",
    "llamp": "as in LLAMP's 2024 code: three latencies after the match",
    "sync": "the sender waits for the receiver; no latency for the handshake (as LogGOPSim)",
}


def _model(analysis: Analysis) -> Section:
    """Every parameter of the model with its meaning, and what is assumed."""
    network, links, model = analysis.network, analysis.links, analysis.model
    rows: list[tuple[Span, Line, str]] = [
        (
            strong(name),
            [value, " ", Span("default", "badge")] if name in model.defaults else value,
            _MEANING[name],
        )
        for name, value in network.describe().items()
    ]
    meaning = _RENDEZVOUS[network.rendezvous]
    rows.append((strong("rendezvous"), network.rendezvous, f"messages over S: {meaning}"))
    meaning = "; ".join(
        f"{link.name}: L = {format_time(link.L)}, {counted(link.pairs, 'rank pair')}"
        for link in links.classes
    )
    if len(links.classes) == 1 and links.node_of_rank is None:
        meaning = "every pair of ranks has the same L and G"
    rows.append((strong("network"), model.topology, meaning))
    if model.mapping is not None:
        rows.append((strong("placement"), model.mapping, "which node each rank runs on"))
    cost = model.reduce_ns_per_byte
    combining = f"combining a byte costs {cost:g} ns" if cost else "combining bytes costs nothing"
    rows.append(
        (strong("collectives"), model.collectives, f"point-to-point algorithms; {combining}")
    )
    theta = analysis.theta
    latency = "A message meets the latency of its link; routes are the shortest."
    if len(links.classes) == 1:
        latency = "All messages meet the same L."
    varied = f" What is varied is {theta.meaning}, {theta.symbol}." if theta.name != "L" else ""
    return Section(
        "Model and assumptions",
        [
            Table(("", "value", "meaning"), rows, "model"),
            Bullets([*_ASSUMED, f"{latency}{varied} {_CONSTANT}"]),
        ],
        reading="The program is replayed as a graph of computations and messages on a LogGPS "
        "network; its runtime T is the longest path.",
    )


def _closing(analysis: Analysis) -> list[str]:
    model = analysis.model
    stated = (
        f"{name} = {value}{' (default)' if name in model.defaults else ''}"
        for name, value in analysis.network.describe().items()
    )
    mapped = "" if model.mapping is None else f"; {model.mapping}"
    return [
        f"Model: {'  '.join(stated)}",
        f"Links: {model.topology}{mapped}",
        f"Collectives: {model.collectives}",
        f"Rendezvous: {model.rendezvous}",
    ]


def _files(analysis: Analysis) -> list[File]:
    latency = analysis.baseline.L_ns
    files = [
        File("analysis.json", analysis.to_json),
        File("curve.csv", lambda: curve_csv(analysis)),
        File("breakpoints.csv", lambda: breakpoints_csv(analysis)),
        File("efficiency.csv", lambda: efficiency_csv(analysis.efficiency, analysis.theta)),
        File("slack.csv", lambda: slack_csv(analysis.slack, analysis.pairs, latency)),
        File("waits.csv", analysis.waits.times.to_csv),
        File("delays.csv", analysis.waits.delays.to_csv),
    ]
    if analysis.by_call_site:
        files.append(File("call_sites.csv", lambda: call_sites_csv(analysis.by_call_site)))
    if analysis.iterations is not None:
        files.append(File("iterations.csv", analysis.iterations.shares.to_csv))
    if analysis.link_loads is not None:
        files.append(File("links.csv", analysis.link_loads.to_csv))
    return files
