"""Parts of the alternatives' runtimes side by side, and reasons for differences."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from latitude.render.charts import kinds, marks, theme
from latitude.render.charts.chart import Chart, unit_for
from latitude.render.document import Cell, Content, Section, Table, strong
from latitude.results.answer import PathParts
from latitude.units.quantities import format_change, format_share, format_time, signed

_PARTS = {
    "calc_ns": ("computation", theme.COMPUTATION),
    "overhead_ns": ("overhead", theme.OVERHEAD),
    "latency_ns": ("latency", theme.LATENCY),
    "bandwidth_ns": ("bandwidth", theme.BANDWIDTH),
}
_SAME = 1e-6
"""Least relative difference of runtimes that counts."""
_NAMED = 0.05
"""Least share of the difference that is worth mentioning."""


class SideBySide(Protocol):
    """One of the alternatives."""

    @property
    def label(self) -> str:
        """Label of the alternative."""

    @property
    def T_ns(self) -> float:  # noqa: N802 - the symbol
        """T on its network, ns."""

    @property
    def path(self) -> PathParts:
        """The parts of its critical path."""


def alike(times: Iterable[float]) -> bool:
    """Whether runtimes are the same."""
    ordered = sorted(times)
    return ordered[-1] - ordered[0] <= _SAME * ordered[-1]


def because(found: SideBySide, than: SideBySide) -> str:
    """A sentence on one alternative's lead over another, and its causes among the parts of T."""
    if alike([found.T_ns, than.T_ns]):
        return f"{found.label} takes as long as {than.label}: {format_time(found.T_ns)}."
    fast, slow = (found, than) if found.T_ns < than.T_ns else (than, found)
    saved = slow.T_ns - fast.T_ns
    changes = {
        name: getattr(fast.path, field) - getattr(slow.path, field)
        for field, (name, _) in _PARTS.items()
    }
    named = {name: ns for name, ns in changes.items() if abs(ns) >= _NAMED * saved}
    worse = [f"{name} takes {format_time(ns)} more" for name, ns in named.items() if ns > 0]
    better = [f"{name} takes {format_time(-ns)} less" for name, ns in named.items() if ns < 0]
    although = f", although {' and '.join(worse)}," if worse else ""
    return (
        f"{fast.label} is {format_share(saved / slow.T_ns)} faster than {slow.label}{although} "
        f"because {' and '.join(better)} on the critical path."
    )


def where_time_goes(rows: Sequence[SideBySide]) -> list[Section | Chart]:
    """The parts of each alternative's T as chart and table; empty for a single alternative."""
    if len(rows) == 1:
        return []
    first, *others = rows
    if len(others) > 1 and alike(each.T_ns for each in rows):
        reading = f"All take as long as {first.label}: {format_time(first.T_ns)}."
    else:
        reading = " ".join(because(each, first) for each in others[:3])
    unit = unit_for(max(each.T_ns for each in rows))
    labels = [each.label for each in rows]
    bars = []
    for field, (name, colour) in _PARTS.items():
        values = [getattr(each.path, field) for each in rows]
        bar = marks.bars(
            unit.of(values),
            labels,
            name=name,
            colour=colour,
            across=True,
            hovertext=[
                f"{label}: {name} {format_time(ns)}"
                for label, ns in zip(labels, values, strict=True)
            ],
            hover="%{hovertext}",
        )
        bars.append(bar)
    chart = kinds.named_rows(
        "where",
        "Where the time goes",
        reading,
        bars,
        x=theme.axis(f"time on the critical path ({unit.name})"),
        rows=len(rows),
        top=40,
        barmode="stack",
        bargap=0.35,
        legend=theme.ORDERED,
    )
    cells: list[list[Content]] = [
        [
            strong(each.label),
            format_time(each.T_ns),
            "–" if each is first else format_change(each.T_ns / first.T_ns - 1),
            *(_part(each, first, field) for field in _PARTS),
        ]
        for each in rows
    ]
    heads = ["", "T", "against the first", *(name for name, _ in _PARTS.values())]
    table = Table(heads, cells, brief=len(rows), columns=(0, 3, 4, 5, 6))
    note = "Computation, overhead, latency and bandwidth on the critical path add up to T."
    return [chart, Section("Parts of the runtime", [table], note=note)]


def _part(found: SideBySide, first: SideBySide, field: str) -> Cell:
    """A part of T, and its difference from that of the first alternative."""
    ns = getattr(found.path, field)
    more = ns - getattr(first.path, field)
    same = abs(more) <= _SAME * first.T_ns
    return Cell(format_time(ns), below=[] if same else [signed(more, 3)])
