"""The document of a comparison of two runs: B compared with A."""

import math
from collections.abc import Callable, Sequence
from functools import partial

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
from latitude.render.documents.answers import between
from latitude.render.tables import table
from latitude.results.declared import parts_csv
from latitude.results.difference import (
    LEAST_NS,
    BeyondSpread,
    Difference,
    DiffRun,
    PlaceChange,
    change,
    limit,
)
from latitude.results.over_runs import Spread
from latitude.units.quantities import counted, format_count, format_share, format_time, signed

_BARS = 12
_ROWS = 25
_BRIEF = 6
_MAX_RANKS = 512
_PARTS = (
    ("computation before", "computation", "computation before", theme.COMPUTATION),
    ("overhead", "overhead", "overhead", theme.OVERHEAD),
    ("transfer", "transfer", "transfer", theme.LATENCY),
    ("waits", "wait", "waiting for other ranks", "#e69f00"),
)
"""For each part of a rank's time: head of the column, beginning of fields' names, name, colour."""
_METHOD = (
    "Method: both runs' execution graphs are analysed exactly, each rank's time split into "
    "computation, overhead, transfer and waits, and held against each other by line of the program "
    "(or call), by rank and call by call. Of T itself only what is on the critical path counts."
)


def difference_document(difference: Difference) -> Document:
    """The page, the terminal's text and the files of a comparison of two runs."""
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
        answer=[
            *_functions_sentence(difference.judged),
            *_tolerance_sentence(difference),
            *_change_sentence(difference),
        ],
        cards=[
            Card("A", format_time(a.T_ns), "runtime T"),
            Card("B", format_time(b.T_ns), "runtime T"),
            Card("change", change(difference.change_ns), _relative(a.T_ns, b.T_ns)),
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
    a, b, more_ns = difference.a, difference.b, difference.change_ns
    if abs(more_ns) < LEAST_NS:
        nothing = all(abs(row.change_ns) < LEAST_NS for row in difference.by_place)
        more = "no call takes longer or shorter" if nothing else "though not in the same places"
        return f"Both runs take {format_time(b.T_ns, 5)}, and {more}."
    judged = difference.judged
    if judged.enough and not judged.changed:
        return (
            f"T did not change beyond the spread of runs: A takes {_range(judged.runs_a)}, B "
            f"{_range(judged.runs_b)}."
        )
    how = "longer" if more_ns > 0 else "shorter"
    return (
        f"B runs {format_time(abs(more_ns), 3)} ({_relative(a.T_ns, b.T_ns)}) {how} than A: "
        f"{format_time(b.T_ns, 5)} in place of {format_time(a.T_ns, 5)}."
    )


def _range(spread: Spread) -> str:
    return between(spread, lambda ns: format_time(ns, 4))


def _functions_sentence(judged: BeyondSpread) -> list[str]:
    """Sentences on functions whose computation changed beyond the spread of runs, or moved."""
    beyond = "beyond the spread of runs" if judged.enough else f"by over {judged.margin:.1%}"

    def named(*, moved: bool) -> str:
        return ", ".join(
            f"{each.name} {signed(each.runs_b.median - each.runs_a.median, 3)}"
            for each in judged.functions
            if each.moved == moved
        )

    found = []
    if changed := named(moved=False):
        found.append(f"Computation of all ranks changed {beyond} in {changed}.")
    if moved := named(moved=True):
        found.append(
            f"Computation moved between functions: {moved}; in all, what ranks compute changed by "
            f"{change(judged.computation_ns)}."
        )
    if judged.enough and not found:
        found.append(f"No function's computation changed {beyond}.")
    return found


def _tolerance_sentence(difference: Difference) -> list[str]:
    if not difference.tolerance:
        return []
    first = difference.tolerance[0]
    slower = f"before it runs {format_share(first.degradation)} slower"
    if first.a_ns == first.b_ns:
        return [f"It tolerates as much extra latency as before: {limit(first.b_ns)} {slower}."]
    less = "less" if first.b_ns < first.a_ns else "more"
    both = f"{limit(first.b_ns)} in place of {limit(first.a_ns)}"
    return [f"It tolerates {less} extra latency {slower}: {both}."]


def _change_sentence(difference: Difference) -> list[str]:
    """Sentences on the largest changes, in a rank's time and on the critical path."""
    found = []
    most = _most(difference.by_place, lambda row: row.change_ns)
    if most is not None:
        parts = {key: _part(most, key) for _, key, _, _ in _PARTS}
        part = max(parts, key=lambda key: abs(parts[key]))
        what = next(words for _, key, words, _ in _PARTS if key == part)
        found.append(
            f"Per rank, {_place_name(most)} changed most: {change(most.change_ns)}, of which "
            f"{what} {change(parts[part])}."
        )
    most = _most(difference.by_place, lambda row: row.path_change_ns)
    if most is not None:
        found.append(
            f"On the critical path, {_place_name(most)} changed most: "
            f"{change(most.path_change_ns)}."
        )
    return found


def _most(
    rows: Sequence[PlaceChange], change: Callable[[PlaceChange], float]
) -> PlaceChange | None:
    most = max(rows, key=lambda row: abs(change(row)), default=None)
    return most if most is not None and abs(change(most)) >= LEAST_NS else None


def _whole(difference: Difference) -> Table:
    a, b = difference.a, difference.b
    points = 100 * (b.rho_L - a.rho_L)
    rows: list[tuple[Content, ...]] = [
        (
            "runtime T",
            format_time(a.T_ns, 5),
            format_time(b.T_ns, 5),
            strong(change(difference.change_ns)),
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
            f"{points:+.3g} points".replace("-", "−") if points else "same",
        ),
    ]
    rows += [
        (
            f"extra latency until {format_share(each.degradation)} slower",
            limit(each.a_ns),
            limit(each.b_ns),
            change(each.b_ns - each.a_ns)
            if math.isfinite(each.a_ns) and math.isfinite(each.b_ns)
            else "same"
            if each.a_ns == each.b_ns
            else "",
        )
        for each in difference.tolerance
    ]
    return Table(("", "A", "B", "change"), rows, title="The two runs", brief=len(rows))


def _places(difference: Difference) -> list[Part]:
    changed = [row for row in difference.by_place if abs(row.change_ns) >= LEAST_NS]
    if not changed:
        return []
    shown = table(
        changed[:_ROWS],
        ("place", _place),
        *("a_ns", "b_ns", "change_ns"),
        *((head, partial(_part_change, key=key)) for head, key, _, _ in _PARTS),
        ("slower calls", lambda row: f"{row.slower:,} of {row.calls:,}" if row.calls else "–"),
        ("median call", lambda row: change(row.median_change_ns) if row.calls else "–"),
        brief=_BRIEF,
        terminal=(0, 1, 2, 3, 4, 7),
    )
    more = f" {_ROWS} of {len(changed)} places; diff.csv has all." if changed[_ROWS:] else ""
    return [
        _places_chart(changed),
        Section(
            "By place",
            [shown],
            note="Time per rank. A place is a line of the program that calls MPI, or a call where "
            "lines are not known. Slower calls: of those that could be paired, the k-th of a rank "
            "there in A and in B, with the computation before." + more,
        ),
    ]


def _places_chart(changed: Sequence[PlaceChange]) -> Chart:
    shown = list(reversed(changed[:_BARS]))
    unit = unit_for(max(abs(_part(row, key)) for row in shown for _, key, _, _ in _PARTS))
    slower = sum(row.change_ns for row in changed if row.change_ns > 0)
    faster = sum(row.change_ns for row in changed if row.change_ns < 0)
    return marks.chart(
        "places",
        "What became slower or faster",
        f"At places that became slower a rank spends {format_time(slower, 3)} more, at those that "
        f"became faster {format_time(-faster, 3)} less.",
        _bars(
            [[_part(row, key) for row in shown] for _, key, _, _ in _PARTS],
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
        legend=theme.ORDERED,
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
        for row, (*_, name, colour) in zip(values, _PARTS, strict=True)
        if any(row)
    ]


def _path(difference: Difference) -> list[Part]:
    rows = sorted(difference.by_place, key=lambda row: -abs(row.path_change_ns))
    rows = [row for row in rows if abs(row.path_change_ns) >= LEAST_NS]
    if not rows:
        return []
    shown = table(
        rows[:_ROWS],
        ("place", _place),
        *("path_a_ns", "path_b_ns", "path_change_ns"),
        ("latencies λ", lambda row: _counts(row.lambda_a, row.lambda_b)),
        ("moved", _moved),
        brief=_BRIEF,
    )
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
            [shown],
            reading=f"{moved}{_place_name(rows[0])} changed most: "
            f"{change(rows[0].path_change_ns)}.",
            note="What each place has of T, with the computation just before it where lines are "
            "known. These changes add up to that of T.",
        )
    ]


def _moved(row: PlaceChange) -> str:
    if row.path_a_ns < LEAST_NS <= row.path_b_ns:
        return "on to it"
    if row.path_b_ns < LEAST_NS <= row.path_a_ns:
        return "off it"
    return ""


def _parts(difference: Difference) -> list[Part]:
    shown = table(difference.by_part, "name", "a_ns", "b_ns", "change_ns")
    return [Section("Where ranks' time goes", [shown])]


def _ranks(difference: Difference) -> list[Part]:
    ranks = difference.by_rank
    count = len(ranks)
    if not count or count > _MAX_RANKS:
        return []
    changes = [
        (getattr(ranks, f"{key}_b_ns") - getattr(ranks, f"{key}_a_ns")).tolist()
        for _, key, _, _ in _PARTS
    ]
    unit = unit_for(float(np.abs(changes).max(initial=0.0)))
    computing = np.array(changes[0])
    most = int(np.abs(computing).argmax())
    reading = "No rank computes longer or shorter."
    if abs(computing[most]) >= LEAST_NS:
        reading = (
            f"Rank {most}'s computation changed most: {change(float(computing[most]))}, against "
            f"{change(float(computing.mean()))} of the mean rank."
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
            legend=theme.ORDERED,
        )
    ]


def _largest(difference: Difference) -> list[Part]:
    if not difference.largest:
        return []
    shown = table(
        difference.largest,
        *("place", "rank", "number", "before_change_ns", "within_change_ns", "change_ns"),
        brief=0,
    )
    first = difference.largest[0]
    return [
        Section(
            "Single calls that changed most",
            [shown],
            reading=f"The largest change of a single call is {change(first.change_ns)}, at "
            f"{first.place} no. {first.number:,} of rank {first.rank}.",
            note="One call alone is often noise; the median of a place's calls, above, is not.",
        )
    ]


# Words


def _name(of: DiffRun) -> str:
    return of.program or input_name(of.input)


def _part(row: PlaceChange, key: str) -> float:
    found: float = getattr(row, f"{key}_b_ns") - getattr(row, f"{key}_a_ns")
    return found


def _part_change(row: PlaceChange, key: str) -> str:
    return change(_part(row, key))


def _place_name(row: PlaceChange) -> str:
    return row.where or row.call or "computation between calls"


def _place(row: PlaceChange) -> Cell:
    below: list[str] = [row.call] if row.where and row.call else []
    if row.where_a:
        below.append(f"in A {row.where_a}")
    if row.only_in:
        below.append(f"only in {row.only_in.upper()}")
    return Cell(code(_place_name(row)), below)


def _signed_count(change: float) -> str:
    return "same" if not change else f"{'+' if change > 0 else '−'}{format_count(abs(change))}"


def _counts(a: float, b: float) -> str:
    return format_count(a) if a == b else f"{format_count(a)} → {format_count(b)}"


def _relative(a: float, b: float) -> str:
    return format_share(abs(b / a - 1)) if a else "–"
