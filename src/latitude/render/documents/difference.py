"""What a comparison of two runs says: B against A."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from latitude.files.provenance import input_name
from latitude.render.charts import marks, theme
from latitude.render.charts.chart import Chart, Trace, unit_for
from latitude.render.document import (
    Card,
    Cell,
    Content,
    Document,
    File,
    Origin,
    Part,
    Section,
    Span,
    Table,
    code,
    strong,
)
from latitude.render.documents.analysis_charts import LEGEND
from latitude.results.declared import parts_csv
from latitude.results.difference import Difference, DiffRun, PlaceChange
from latitude.results.waits import ACTIVITIES, CAUSES
from latitude.units.quantities import counted, format_count, format_share, format_time

_LEAST_NS = 0.5
"""Less is rounding."""
_BARS = 12
_ROWS = 25
_BRIEF = 6
_MAX_RANKS = 512
_PARTS = (
    ("computation", "computation before", theme.COMPUTATION),
    ("overhead", "overhead", theme.OVERHEAD),
    ("transfer", "transfer", theme.LATENCY),
    ("wait", "waiting for other ranks", "#e69f00"),
)
_METHOD = (
    "Method: both runs' execution graphs are analysed exactly, each rank's time split into "
    "computation, overhead, transfer and waits, and held against each other by line of the program "
    "(or call), by rank and call by call. Of T itself only what is on the critical path counts."
)


def difference_document(difference: Difference) -> Document:
    """The page, the terminal's text and the files of two runs held against each other."""
    a, b = difference.a, difference.b
    return Document(
        kind="two runs, B against A",
        name=_name(b) if _name(a) == _name(b) else f"{_name(a)} → {_name(b)}",
        title="difference",
        facts=[
            f"A: {a.input}",
            f"B: {b.input}",
            counted(b.ranks, "rank"),
            f"compared {difference.made.date[:10]}",
        ],
        headline=headline(difference),
        answer=[*_tolerance_sentence(difference), *_change_sentence(difference)],
        cards=[
            Card("A", format_time(a.T_ns), "runtime T"),
            Card("B", format_time(b.T_ns), "runtime T"),
            Card("change", _signed(difference.change_ns), _relative(a.T_ns, b.T_ns)),
            Card("latencies λ", _counts(a.lambda_L, b.lambda_L), "on the critical path"),
        ],
        parts=[
            _whole(difference),
            *_places(difference),
            *_path(difference),
            *_parts(difference),
            *_ranks(difference),
            *_largest(difference),
        ],
        notices=difference.warnings,
        files=[
            File("diff.json", difference.to_json),
            File("diff.csv", lambda: parts_csv(difference.by_place, PlaceChange)),
        ],
        origin=[
            Origin("command", Span(difference.made.command, "code")),
            Origin("A", [code(a.input), f" SHA-256 {a.input_sha256}"]),
            Origin("B", [code(b.input), f" SHA-256 {b.input_sha256}"]),
            Origin("date, host", f"{difference.made.date}, {difference.made.host}"),
            Origin("Latitude", difference.made.version),
        ],
        method=_METHOD,
    )


def headline(difference: Difference) -> str:
    """The answer in one sentence."""
    a, b, change = difference.a, difference.b, difference.change_ns
    if abs(change) < _LEAST_NS:
        nothing = all(abs(row.change_ns) < _LEAST_NS for row in difference.by_place)
        more = "no call takes longer or shorter" if nothing else "though not in the same places"
        return f"Both runs take {format_time(b.T_ns, 5)}, and {more}."
    how = "longer" if change > 0 else "shorter"
    return (
        f"B runs {format_time(abs(change), 3)} ({_relative(a.T_ns, b.T_ns)}) {how} than A: "
        f"{format_time(b.T_ns, 5)} in place of {format_time(a.T_ns, 5)}."
    )


def _tolerance_sentence(difference: Difference) -> list[str]:
    if not difference.tolerance:
        return []
    first = difference.tolerance[0]
    slower = f"before it runs {format_share(first.degradation)} slower"
    if first.a_ns == first.b_ns:
        return [f"It tolerates as much extra latency as before: {_latency(first.b_ns)} {slower}."]
    less = "less" if first.b_ns < first.a_ns else "more"
    both = f"{_latency(first.b_ns)} in place of {_latency(first.a_ns)}"
    return [f"It tolerates {less} extra latency {slower}: {both}."]


def _change_sentence(difference: Difference) -> list[str]:
    """What changed most, of a rank's time and on the critical path."""
    found = []
    most = _most(difference.by_place, lambda row: row.change_ns)
    if most is not None:
        parts = {key: _part(most, key) for key, _, _ in _PARTS}
        part = max(parts, key=lambda key: abs(parts[key]))
        what = next(words for key, words, _ in _PARTS if key == part)
        found.append(
            f"Per rank, {_place_name(most)} changed most: {_signed(most.change_ns)}, of which "
            f"{what} {_signed(parts[part])}."
        )
    most = _most(difference.by_place, lambda row: row.path_change_ns)
    if most is not None:
        found.append(
            f"On the critical path, {_place_name(most)} changed most: "
            f"{_signed(most.path_change_ns)}."
        )
    return found


def _most(
    rows: Sequence[PlaceChange], change: Callable[[PlaceChange], float]
) -> PlaceChange | None:
    most = max(rows, key=lambda row: abs(change(row)), default=None)
    return most if most is not None and abs(change(most)) >= _LEAST_NS else None


def _whole(difference: Difference) -> Table:
    a, b = difference.a, difference.b
    rows: list[tuple[Content, ...]] = [
        (
            "runtime T",
            format_time(a.T_ns, 5),
            format_time(b.T_ns, 5),
            strong(_signed(difference.change_ns)),
        ),
        (
            "latencies on the critical path λ",
            format_count(a.lambda_L),
            format_count(b.lambda_L),
            _signed_count(b.lambda_L - a.lambda_L),
        ),
        (
            "share of latency ρ",
            format_share(a.rho_L),
            format_share(b.rho_L),
            f"{100 * (b.rho_L - a.rho_L):+.3g} points" if a.rho_L != b.rho_L else "same",
        ),
    ]
    rows += [
        (
            f"extra latency until {format_share(limit.degradation)} slower",
            _latency(limit.a_ns),
            _latency(limit.b_ns),
            _signed(limit.b_ns - limit.a_ns)
            if math.isfinite(limit.a_ns) and math.isfinite(limit.b_ns)
            else "same"
            if limit.a_ns == limit.b_ns
            else "",
        )
        for limit in difference.tolerance
    ]
    return Table(("", "A", "B", "change"), rows, title="The two runs", brief=len(rows))


def _places(difference: Difference) -> list[Part]:
    changed = [row for row in difference.by_place if abs(row.change_ns) >= _LEAST_NS]
    if not changed:
        return []
    rows: list[tuple[Content, ...]] = [
        (
            _place(row),
            format_time(row.a_ns),
            format_time(row.b_ns),
            strong(_signed(row.change_ns)),
            *(_signed(_part(row, key)) for key, _, _ in _PARTS),
            f"{row.slower:,} of {row.calls:,}" if row.calls else "–",
            _signed(row.median_change_ns) if row.calls else "–",
        )
        for row in changed[:_ROWS]
    ]
    head = (
        "place", "A", "B", "change", "computation before", "overhead", "transfer", "waits",
        "slower calls", "median call",
    )  # fmt: skip
    more = f" {len(rows)} of {len(changed)} places; diff.csv has all." if changed[_ROWS:] else ""
    return [
        _places_chart(changed),
        Section(
            "By place",
            [Table(head, rows, brief=_BRIEF, columns=(0, 1, 2, 3, 4, 7))],
            note="Time per rank. A place is a line of the program that calls MPI, or a call where "
            "lines are not known. Slower calls: of those that could be paired, the k-th of a rank "
            "there in A and in B, with the computation before." + more,
        ),
    ]


def _places_chart(changed: Sequence[PlaceChange]) -> Chart:
    shown = list(reversed(changed[:_BARS]))
    unit = unit_for(max(abs(_part(row, key)) for row in shown for key, _, _ in _PARTS))
    slower = sum(row.change_ns for row in changed if row.change_ns > 0)
    faster = sum(row.change_ns for row in changed if row.change_ns < 0)
    return marks.chart(
        "places",
        "What became slower or faster",
        f"At places that became slower a rank spends {format_time(slower, 3)} more, at those that "
        f"became faster {format_time(-faster, 3)} less.",
        _bars(
            [[_part(row, key) for row in shown] for key, _, _ in _PARTS],
            [marks.text(_place_name(row)) for row in shown],
            unit.ns,
            unit.name,
            across=True,
        ),
        x=theme.axis(f"change per rank, B − A ({unit.name})"),
        y=theme.axis("", showgrid=False, type="category"),
        height=150 + 30 * len(shown),
        barmode="relative",
        bargap=0.25,
        margin={"l": 62, "r": 24, "t": 60, "b": 48},
        legend=LEGEND,
    )


def _bars(
    values: Sequence[Sequence[float]],
    labels: Sequence[object],
    ns: float,
    unit: str,
    *,
    across: bool,
) -> list[Trace]:
    """One set of bars for each part of a rank's time."""
    value = "x" if across else "y"
    return [
        marks.bars(
            *([np.array(row) / ns, labels] if across else [labels, np.array(row) / ns]),
            name=name,
            colour=colour,
            across=across,
            hover=f"{name}: %{{{value}:+.4~g}} {unit}",
        )
        for row, (_, name, colour) in zip(values, _PARTS, strict=True)
        if any(row)
    ]


def _path(difference: Difference) -> list[Part]:
    rows = sorted(difference.by_place, key=lambda row: -abs(row.path_change_ns))
    rows = [row for row in rows if abs(row.path_change_ns) >= _LEAST_NS]
    if not rows:
        return []
    table: list[tuple[Content, ...]] = [
        (
            _place(row),
            format_time(row.path_a_ns),
            format_time(row.path_b_ns),
            strong(_signed(row.path_change_ns)),
            _counts(row.lambda_a, row.lambda_b),
            _moved(row),
        )
        for row in rows[:_ROWS]
    ]
    on = sum(_moved(row) == "on to it" for row in rows)
    off = sum(_moved(row) == "off it" for row in rows)
    moved = (
        f"{counted(on, 'place')} moved on to the critical path and {off} off it; "
        if on or off
        else "The critical path goes through the same places; "
    )
    return [
        Section(
            "On the critical path",
            [
                Table(
                    ("place", "A", "B", "change", "latencies λ", "moved"),
                    table,
                    brief=_BRIEF,
                )
            ],
            reading=f"{moved}{_place_name(rows[0])} changed most: "
            f"{_signed(rows[0].path_change_ns)}.",
            note="What each place has of T, with the computation just before it where lines are "
            "known. These changes add up to that of T.",
        )
    ]


def _moved(row: PlaceChange) -> str:
    if row.path_a_ns < _LEAST_NS <= row.path_b_ns:
        return "on to it"
    if row.path_b_ns < _LEAST_NS <= row.path_a_ns:
        return "off it"
    return ""


def _parts(difference: Difference) -> list[Part]:
    names = ACTIVITIES | CAUSES
    rows = [
        (
            names[part.what],
            format_time(part.a_ns),
            format_time(part.b_ns),
            strong(_signed(part.b_ns - part.a_ns)),
        )
        for part in difference.by_part
    ]
    table = Table(("per rank", "A", "B", "change"), rows, brief=len(rows))
    return [Section("Where ranks' time goes", [table])]


def _ranks(difference: Difference) -> list[Part]:
    ranks = difference.by_rank
    count = len(ranks)
    if not count or count > _MAX_RANKS:
        return []
    changes = [
        (getattr(ranks, f"{key}_b_ns") - getattr(ranks, f"{key}_a_ns")).tolist()
        for key, _, _ in _PARTS
    ]
    unit = unit_for(float(np.abs(changes).max(initial=0.0)))
    computing = np.array(changes[0])
    most = int(np.abs(computing).argmax())
    reading = "No rank computes longer or shorter."
    if abs(computing[most]) >= _LEAST_NS:
        reading = (
            f"Rank {most}'s computation changed most: {_signed(float(computing[most]))}, against "
            f"{_signed(float(computing.mean()))} of the mean rank."
        )
    return [
        marks.chart(
            "ranks",
            "By rank",
            reading,
            _bars(changes, ranks.rank.tolist(), unit.ns, unit.name, across=False),
            x=theme.axis("rank", **theme.rank_ticks(count), showgrid=False),
            y=theme.axis(f"change, B − A ({unit.name})"),
            height=320,
            barmode="relative",
            bargap=0.2,
            margin={"l": 62, "r": 24, "t": 60, "b": 48},
            legend=LEGEND,
        )
    ]


def _largest(difference: Difference) -> list[Part]:
    if not difference.largest:
        return []
    rows = [
        (
            code(each.where or each.call),
            f"rank {each.rank}",
            f"no. {each.number:,}",
            _signed(each.before_b_ns - each.before_a_ns),
            _signed(each.within_b_ns - each.within_a_ns),
            strong(_signed(each.change_ns)),
        )
        for each in difference.largest
    ]
    first = difference.largest[0]
    return [
        Section(
            "Single calls that changed most",
            [Table(("call", "rank", "call no.", "computation before", "in it", "change"), rows)],
            reading=f"The largest change of a single call is {_signed(first.change_ns)}, at "
            f"{first.where or first.call} no. {first.number:,} of rank {first.rank}.",
            note="One call alone is often noise; the median of a place's calls, above, is not.",
        )
    ]


# Words


def _name(of: DiffRun) -> str:
    return of.program or input_name(of.input)


def _part(row: PlaceChange, key: str) -> float:
    change: float = getattr(row, f"{key}_b_ns") - getattr(row, f"{key}_a_ns")
    return change


def _place_name(row: PlaceChange) -> str:
    return row.where or row.call or "computation between calls"


def _place(row: PlaceChange) -> Cell:
    below: list[str] = [row.call] if row.where and row.call else []
    if row.where_a:
        below.append(f"in A {row.where_a}")
    if row.only_in:
        below.append(f"only in {row.only_in.upper()}")
    return Cell(code(_place_name(row)), below)


def _signed(ns: float) -> str:
    if abs(ns) < _LEAST_NS:
        return "same"
    return f"{'+' if ns > 0 else '−'}{format_time(abs(ns), 3)}"


def _signed_count(change: float) -> str:
    return "same" if not change else f"{'+' if change > 0 else '−'}{format_count(abs(change))}"


def _counts(a: float, b: float) -> str:
    return format_count(a) if a == b else f"{format_count(a)} → {format_count(b)}"


def _relative(a: float, b: float) -> str:
    return format_share(abs(b / a - 1)) if a else "–"


def _latency(ns: float) -> str:
    return "any" if math.isinf(ns) else format_time(ns)
