"""Documents of a cluster's network: its parameters, latencies, load, and slow nodes."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.render.document import Document, File, Line, Part, Section, Table, code
from latitude.render.tables import table
from latitude.results.measurement import (
    GeneratedLoad,
    LoadMeasurement,
    LogGPSClass,
    LogGPSMeasurement,
    MeasuredValue,
    NodeCheck,
    SizeSummary,
)
from latitude.units.quantities import (
    counted,
    format_per_byte,
    format_rate,
    format_share,
    format_size,
    format_time,
)

_OFF = 0.03
"""Largest deviation of a load. Underwood et al. 2018 step loads by 10 %, so a load within 3 % of
the request differs from its neighbours."""


def loggps_document(result: LogGPSMeasurement, cluster: Path, load: str) -> Document:
    """The parameters by class of links, and the ranges of sizes.

    Args:
        result: the measurement.
        cluster: the file with the parameters.
        load: a sentence on the load during the measurement; empty without load.
    """
    main = result.classes[0]
    parts: list[Part] = [part for each in result.classes for part in _class_parts(result, each)]
    values = f"L = {format_time(main.L_ns.value)}, o = {format_time(main.o_ns.value)}"
    return Document(
        name="LogGPS",
        facts=[
            counted(len(result.ranks), "rank"),
            counted(result.starts, "start"),
            f"{result.cache} buffers",
            result.mpi,
        ],
        headline=f"{values}, G = {format_per_byte(main.G_ns_per_byte.value)}, "
        f"S = {main.S_bytes:,} B {main.name}.",
        parts=parts,
        closing=[
            *([load] if load else []),
            ("Next: ", code(f"latitude analyze TRACE --network {shlex.quote(str(cluster))}")),
            ("As your default: ", code(f"latitude network use {shlex.quote(str(cluster))}")),
        ],
        notices=result.warnings,
        files=[File("loggps.json", result.to_json)],
    )


def _class_parts(result: LogGPSMeasurement, each: LogGPSClass) -> list[Part]:
    pairs = each.L_of_pairs_ns
    delayed, G, O = each.o_delayed_ns, each.G_ns_per_byte, each.O_ns_per_byte
    trips = "" if delayed is None else f"by round trips {format_time(delayed.value)}"
    between = "" if each.pairs == 1 else f"pairs {_span(pairs.least, pairs.most)}"
    told = result.O_ns_per_byte > 0
    processors = "at each end; G is less by it" if told else "not told from G: not used"
    times = (
        ("L", each.L_ns, between),
        ("o", each.o_ns, "mean of both ends" if each.L_ns.value else "L is hidden in it"),
        ("o of a send", each.o_send_ns, trips),
        ("o of a receive", each.o_receive_ns, ""),
        ("g", each.g_ns, "" if each.g_limits else "hidden by o: not used"),
    )
    rows = [
        *((name, format_time(e.value), _span(e.low, e.high), remark) for name, e, remark in times),
        ("G", format_per_byte(G.value), _range(G), "" if told else "with the processors' part, O"),
        ("O", format_per_byte(O.value), _range(O), processors),
        ("S", f"{each.S_bytes:,} B", "", each.rendezvous or "no larger message was tried"),
        ("S_isend", f"{each.S_isend_bytes:,} B", "", "of MPI_Isend and its kind"),
        ("S_start", f"{each.S_start_bytes:,} B", "", "of persistent sends"),
    ]
    pieces = table(
        each.ranges,
        *("span", "protocol"),
        ("at 1 B", lambda piece: format_time(piece.start_ns.value)),
        ("G", lambda piece: format_per_byte(piece.G_ns_per_byte.value)),
        ("95 %", lambda piece: _range(piece.G_ns_per_byte)),
    )
    title = f"LogGPS {each.name}, {counted(each.pairs, 'pair')} of ranks"
    error = format_share(each.model_error)
    return [
        Section(title, [Table(("", "", "95 % interval", ""), rows, brief=len(rows))]),
        Section(
            "Half round trips by size",
            [pieces],
            reading=f"With one L, o, G and O the model meets these half round trips within {error} "
            "(root mean square).",
            terminal=True,
        ),
    ]


def _range(estimate: MeasuredValue) -> str:
    return f"{estimate.low:.4g} … {estimate.high:.4g}"


def _span(low: float, high: float) -> str:
    return f"{format_time(low)} … {format_time(high)}"


def load_document(result: LoadMeasurement) -> Document:
    """Requested and achieved load, by pair."""
    return Document(
        name="load",
        facts=[counted(len(result.pairs), "pair"), result.mpi],
        headline=f"Load: {format_share(result.asked)} asked, {format_share(result.achieved)} "
        f"achieved, in messages of {format_size(result.message_bytes)}.",
        parts=[
            table(
                result.pairs,
                *("pair", "peak_bytes_per_s", "sent_bytes_per_s"),
                *("achieved", "messages", "seconds"),
            )
        ],
        notices=_load_notices(result),
        files=[File("load.json", result.to_json)],
    )


def _load_notices(result: GeneratedLoad) -> list[Notice]:
    off = max(abs(flow.achieved - result.asked) for flow in result.pairs)
    if off <= _OFF:
        return []
    return [
        kinds.LOAD_OFF(
            f"a pair's load is {format_share(off)} of the bandwidth off the requested load"
        )
    ]


def beside_sentence(asked: float, load: GeneratedLoad | None) -> str:
    """A sentence on requested and achieved load during another measurement."""
    if load is None:
        return f"Load: {format_share(asked)} asked; it ended before it could tell more."
    least = min(flow.peak_bytes_per_s for flow in load.pairs)
    more = " and more" if len(load.pairs) > 1 else ""
    return (
        f"Load during the measurement: {format_share(asked)} asked, "
        f"{format_share(load.achieved)} achieved of {format_rate(least)}{more} one way per pair."
    )


def nodes_document(result: NodeCheck) -> Document:
    """Nodes that are slower than their neighbours, and the noise of the cores."""
    higher = [member for member in result.members if member.higher]
    sentences = [
        f"{member.name}: latency {format_time(member.latency_ns, 3)}, "
        f"{format_share(member.excess)} over the {format_time(member.neighbours_ns, 3)} between "
        f"its neighbours (p = {member.p:.2g}). Take it out and measure again."
        for member in higher
    ]
    if not higher:
        sentences = [f"No {result.by} has a higher latency than its neighbours."]
    latency = table(
        result.members,
        (result.by, "name"),
        *("latency_ns", "neighbours_ns", "excess", "p"),
    )
    noise = table(
        result.noise,
        ("core of", lambda core: (core.name or "") if result.by == "rank" else f"rank {core.rank}"),
        *("least_ns", "mean_ns", "p99_ns", "max_ns", "lost"),
    )
    parts: list[Part] = [
        Section("Latency", [latency]),
        Section("Noise", [noise]),
    ]
    crowded = "There are more ranks than cores: what the cores lose, they lose to each other."
    return Document(
        name="nodes",
        facts=[counted(result.passes, "pass"), result.mpi],
        headline=sentences[0],
        answer=sentences[1:],
        parts=parts,
        closing=[crowded] if result.crowded else [],
        files=[File("nodes.json", result.to_json)],
    )


def samples_document(
    summaries: Sequence[SizeSummary],
    notices: Sequence[Notice],
    closing: Sequence[Line],
) -> Document:
    """Latencies by operation and size; JSON is written separately, one file per operation."""
    error = max(each.clock_error_ns for each in summaries)
    clocks = "All ranks read one clock."
    if error > 0:
        clocks = f"Clocks agree within {format_time(error, 3)}."
    return Document(
        name="latency",
        headline=clocks,
        parts=[
            table(
                summaries,
                *("name", "iterations", "min_ns", "median_ns", "mean_ns", "sd_ns"),
                *("p99_ns", "p999_ns", "max_ns"),
            )
        ],
        closing=closing,
        notices=notices,
    )
