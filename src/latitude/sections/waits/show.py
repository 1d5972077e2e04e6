"""Shows the time of each rank, and the causes of waits."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from latitude._types import Floats
from latitude.render.charts import marks, theme
from latitude.render.charts.chart import Chart, unit_for
from latitude.render.document import Cell, Part, Section, Table, code
from latitude.render.documents.analysis_charts import LEGEND
from latitude.render.documents.pair_charts import PairAxis, heat_map, matrix
from latitude.render.shown import Shown, Text
from latitude.render.tables import bar, table
from latitude.results.analysis import Analysis
from latitude.results.lines import RankLines
from latitude.sections.waits.result import ACTIVITIES, CAUSES, Waits
from latitude.units.columns import CODE, TIME, column
from latitude.units.quantities import format_share, format_time

_MAX_BARS = 512
_MAX_PIECES = 2048
"""Largest number of pieces of all bars together: a browser needs 0.1 ms per piece."""
_WIDE_BARS = 64
_ONE_LINE = 4
"""Number of parts that fit into one line of the legend on any screen."""
_LEAST_NS = 0.5
"""Least time, ns; less is rounding."""
_ROWS = 25
_SMALL = 0.001
"""Least share of all waits in the page's table of delays; the CSV has all rows."""
_BRIEF = 5
"""Largest number of rows on the terminal."""
_UNKNOWN = "–"
_LOOKS = {
    "computation": theme.COMPUTATION,
    "overhead": theme.OVERHEAD,
    "transfer": theme.LATENCY,
    "late_sender": "#e69f00",
    "wrong_order": "#a87400",
    "late_receiver": "#f0e442",
    "early_reduce": "#56b4e9",
    "early_scan": "#a9d8f3",
    "late_broadcast": "#2a7fb0",
    "n_to_n": "#009e73",
    "barrier": "#00583f",
    "other_thread": "#8c6bb1",
    "completion": theme.BANDWIDTH,
}
"""Colours of the parts of a rank's time; related causes have related colours."""
_NAMES = ACTIVITIES | CAUSES
_MOSTLY = {
    "late_sender": "for late senders",
    "wrong_order": "for messages received in the wrong order",
    "late_receiver": "for late receivers",
    "early_reduce": "in early reduces",
    "early_scan": "in early scans",
    "late_broadcast": "for late broadcasts",
    "n_to_n": "at N × N collectives",
    "barrier": "at barriers",
    "other_thread": "for other threads or CPUs of their own",
    "completion": "for each other inside collectives",
}


def _rank_times_chart(waits: Waits, assumed: Container[str]) -> Chart:
    """Time of each rank as stacked bars of activities and causes of waits."""
    parts = [
        (_NAMES[part], colour, getattr(waits.by_rank, f"{part}_ns"), part in assumed)
        for part, colour in _LOOKS.items()
        if waits.total(part) >= _LEAST_NS
    ]
    return rank_bars(
        parts,
        waits.by_rank.end_ns,
        waits.lines,
        rank_times_sentence(waits),
        "Waits by cause, with Scalasca's names. Transfer is a rank's time on messages after both "
        "sides have arrived.",
    )


def rank_bars(
    parts: Sequence[tuple[str, str, Floats, bool]],
    end_ns: Floats,
    lines: RankLines,
    reading: str,
    note: str,
) -> Chart:
    """Stacked bars, one per line of a rank; the parts of a bar add up to the end of the line.

    Args:
        parts: name, colour and (lines,) ns of each part, and whether it depends on defaults.
        end_ns: (lines,) end of each line.
        lines: lines of the ranks.
        reading: finding of the chart.
        note: hint for reading the chart.
    """
    count = end_ns.size
    group = -(-count // min(_MAX_BARS, _MAX_PIECES // max(len(parts), 1)))
    first = np.arange(0, count, group)
    size = np.diff(np.append(first, count))
    unit = unit_for(float(end_ns.max(initial=0.0)))
    names = lines.labels()
    labels = [
        names[f] if n == 1 else f"{names[f]}–{names[f + n - 1]}"
        for f, n in zip(first.tolist(), size.tolist(), strict=True)
    ]
    return marks.chart(
        "ranks",
        "Where each rank's time goes",
        reading,
        [
            marks.bars(
                labels if group > 1 else lines.shown(first),
                unit.of(np.add.reduceat(part_ns, first) / size),
                name=name,
                colour=colour,
                hatched=hatched,
                hover=f"rank %{{x}}<br>{name}: %{{y:.4~g}} {unit.name}",
            )
            for name, colour, part_ns, hatched in parts
        ],
        x=theme.axis("rank", **theme.line_ticks(lines, labels), showgrid=False),
        y=theme.axis(f"time ({unit.name})"),
        height=400,
        note=f"{note} Parts add up to each {lines.each}'s end."
        + (f" Each bar is the mean of {group} neighbouring {lines.each}s." if group > 1 else "")
        + (f" {theme.NOT_A_FINDING}" if any(hatched for *_, hatched in parts) else ""),
        barmode="stack",
        bargap=0.2 if count <= _WIDE_BARS else 0.05,
        margin={"l": 62, "r": 24, "t": 88 if len(parts) > _ONE_LINE else 48, "b": 48},
        legend=LEGEND,
    )


def rank_times_sentence(waits: Waits) -> str:
    """A sentence on the share of time for which ranks wait for each other, and the causes."""
    total, ranks = waits.end_ns, waits.by_rank
    if not total:
        return "No rank does anything."
    busiest, mean = int(ranks.computation_ns.argmax()), float(ranks.computation_ns.mean())
    excess = float(ranks.computation_ns[busiest]) / mean - 1 if mean else 0.0
    computes = (
        f"{_line(waits, busiest)} computes longest, {format_share(excess)} more than the mean"
    )
    under_way = f"for {format_share(waits.total('transfer') / total)} messages are under way"
    waited = waits.waited_ns
    if waited < _LEAST_NS:
        return f"No rank ever waits for another one to come; {under_way}; {computes}."
    most = max(CAUSES, key=waits.total)
    return (
        f"Ranks wait for each other {format_share(waited / total)} of their time, "
        f"{format_share(waits.total(most) / waited)} of that {_MOSTLY[most]}; {under_way}; "
        f"{computes}."
    )


def waits_parts(waits: Waits, note: str = "", assumed: Container[str] = frozenset()) -> list[Part]:
    """The bars by rank, and delays if ranks wait; a table on the terminal.

    Args:
        waits: time of all ranks.
        note: text below the terminal's table.
        assumed: parts that depend on default parameters.
    """
    brief = Section(
        "Where ranks' time goes", [_rank_times_table(waits, assumed)], note=note, page=False
    )
    return [brief, _rank_times_chart(waits, assumed), *_delays(waits)]


def _rank_times_table(waits: Waits, assumed: Container[str]) -> Table:
    """Means over ranks of activities, and of waits by cause."""
    ranks = max(1, len(waits.by_rank))
    parts = [part for part in _LOOKS if waits.total(part) >= _LEAST_NS]
    return table(
        parts,
        ("", lambda part: f"{_NAMES[part]} (default)" if part in assumed else _NAMES[part]),
        (_per(waits), lambda part: format_time(waits.total(part) / ranks)),
        ("share", lambda part: _share(waits.total(part), waits.end_ns)),
    )


def _per(waits: Waits) -> str:
    """The unit of means: per rank, or per thread or cpu."""
    return f"per {waits.lines.resource[0]}" if waits.lines.several else "per rank"


def _line(waits: Waits, row: int) -> str:
    return waits.lines.names()[row]


def waits_by_call(waits: Waits) -> list[Section]:
    """The longest waits of ranks for each other, by call and cause, if there are any."""
    waited = waits.waited_ns
    if waited < _LEAST_NS:
        return []
    sums: dict[tuple[str | None, str | None, str], list[tuple[float, int, int]]] = {}
    for rank, thread, call, where, _, _, what, ns in waits.times.rows():
        if what in CAUSES:
            sums.setdefault((call, where, what), []).append((ns, rank, thread))
    lines = waits.lines
    longest = sorted(
        (
            _Waited(call, where, what, sum(ns for ns, *_ in each), lines.name_of(*max(each)[1:]))
            for (call, where, what), each in sums.items()
        ),
        key=lambda row: -row.ns,
    )
    ranks = max(1, len(waits.by_rank))
    shown = table(
        longest[:_ROWS],
        ("in", _waiting_call),
        ("waits for", lambda row: _NAMES[row.what]),
        (_per(waits), lambda row: format_time(row.ns / ranks)),
        ("of all waits", lambda row: _share(row.ns, waited)),
        "by",
        brief=_BRIEF,
    )
    return [Section("Where ranks wait", [shown])]


@dataclass(frozen=True, slots=True)
class _Waited:
    """Waits of one cause in one call at one place."""

    call: str | None
    where: str | None
    what: str
    ns: float
    by: Annotated[str, column("most by")]
    """The line with the longest of these waits."""


def _waiting_call(row: _Waited) -> Cell:
    below = [code(row.call or _UNKNOWN)] if row.where else []
    return Cell(code(row.where or row.call or _UNKNOWN), below)


@dataclass(frozen=True, slots=True)
class _Behind:
    """Activities of all ranks at one call, or just before it, for which other ranks waited."""

    doing: Annotated[str, column("while others wait")]
    call: str
    where: str | None
    direct_ns: Annotated[float, column("direct", TIME)]
    indirect_ns: Annotated[float, column("indirect", TIME)]
    by: Annotated[str, column("most by")]
    """The line with the largest part."""
    waiting: Annotated[str, column("most at", CODE)]
    """Place at which the other ranks waited longest."""

    @property
    def ns(self) -> float:
        """Sum of direct and indirect delays."""
        return self.direct_ns + self.indirect_ns


def _delays(waits: Waits) -> list[Section]:
    waited = waits.waited_ns
    if waited < _LEAST_NS:
        return []
    behind = _behind(waits)
    rows = [row for row in behind[:_ROWS] if row is behind[0] or row.ns > _SMALL * waited]
    shown = table(
        rows,
        "doing",
        ("call", lambda row: Cell(code(row.call), [code(row.where)] if row.where else [])),
        ("of all waits", lambda row: _share(row.ns, waited)),
        "direct_ns",
        "indirect_ns",
        "by",
        "waiting",
        kind="delays",
        brief=_BRIEF,
        terminal=(0, 1, 2, 3, 4),
    )
    every = len(behind)
    cut = f" {len(rows)} of {every} rows; delays.csv has all." if len(rows) < every else ""
    return [
        Section(
            "Who makes whom wait",
            [shown, _between_ranks(waits)],
            reading=_delays_sentence(waits, behind[0]),
            note="Delays: what is done, and where, just while other ranks wait for it. Direct: by "
            "the rank that is waited for; indirect: by one that it waits for itself in that time, "
            "directly or through others. All delays add up to all waits." + cut,
        )
    ]


def _behind(waits: Waits) -> list[_Behind]:
    """The delays by activity and call, the longest first."""
    lines = waits.lines
    sums: dict[tuple[str, str | None, str | None], list[tuple[str, float, float]]] = {}
    for rank, thread, call, where, *_, activity, direct, indirect in waits.delays.rows():
        by = lines.name_of(rank, thread)
        sums.setdefault((activity, call, where), []).append((by, direct, indirect))
    waiting: dict[tuple[str | None, str | None], tuple[float, str]] = {}
    for call, where, at_call, at_line, direct, indirect in waits.between_calls.rows():
        found = direct + indirect, at_line or at_call or _UNKNOWN
        waiting[call, where] = max(found, waiting.get((call, where), found))
    rows = [
        _Behind(
            doing="computation before" if activity == "computation" else f"{activity} in",
            call=call or _UNKNOWN,
            where=where,
            direct_ns=sum(direct for _, direct, _ in each),
            indirect_ns=sum(indirect for _, _, indirect in each),
            by=max(each, key=lambda found: found[1] + found[2])[0],
            waiting=waiting[call, where][1],
        )
        for (activity, call, where), each in sums.items()
    ]
    return sorted(rows, key=lambda row: -row.ns)


def _delays_sentence(waits: Waits, first: _Behind) -> str:
    """A sentence on the rank and activity that caused most of the waits."""
    waited, ranks = waits.waited_ns, waits.by_rank
    behind = ranks.direct_ns + ranks.indirect_ns
    row = int(behind.argmax())
    at = f" at {first.where}" if first.where else ""
    return (
        f"{format_share(first.ns / waited)} of all waits are for {first.doing} {first.call}{at}; "
        f"{format_share(float(behind[row]) / waited)} are for {_line(waits, row)}."
    )


def _between_ranks(waits: Waits) -> Chart:
    side = PairAxis("rank", waits.lines.ranks)
    pairs = waits.between_ranks
    delay = pairs.direct_ns + pairs.indirect_ns
    unit = unit_for(float(delay.max(initial=0.0)))
    top = int(delay.argmax())
    indirect = float(pairs.indirect_ns[top] / delay[top])
    how = f"{format_share(indirect)} of it through others" if indirect else "all of it directly"
    words = (
        "delays",
        "Delays between ranks",
        (
            f"Rank {int(pairs.delaying[top])} makes rank {int(pairs.waiting[top])} wait longest: "
            f"{format_time(float(delay[top]), 3)}, {how}."
        ),
    )
    values = matrix(side, pairs.delaying, pairs.waiting, unit.of(delay))
    return heat_map(
        side,
        values,
        words,
        f"waiting ({unit.name})",
        f"%{{z:.4~g}} {unit.name}",
        "Rows delay, columns wait, directly or through others. " + side.block_note("the sum"),
        ends=("delaying", "waiting"),
        zmin=0,
        zmax=float(np.nanmax(values)),
    )


def _share(ns: float, total: float) -> Cell:
    return bar(ns / total if total else 0.0)


def _parts(analysis: Analysis) -> list[Part]:
    waits, ranks = analysis.waits, analysis.by_rank
    if waits is None:
        return []
    if analysis.streamed is None or ranks is None:
        return waits_parts(waits, assumed=analysis.model.assumed)
    most = int(ranks.path_ns.argmax())
    note = (
        f"Of a rank on average. The critical path is longest on rank {most}: "
        f"{format_share(ranks.path_ns[most] / (analysis.T_ns or 1.0))} of T."
    )
    return [*waits_parts(waits, note, analysis.model.assumed), *waits_by_call(waits)]


def _times_csv(analysis: Analysis) -> Text | None:
    return None if analysis.waits is None else analysis.waits.times.to_csv


def _delays_csv(analysis: Analysis) -> Text | None:
    return None if analysis.waits is None else analysis.waits.delays.to_csv


SHOWN = Shown(_parts, {"waits.csv": _times_csv, "delays.csv": _delays_csv})
