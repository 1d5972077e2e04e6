"""Common parts of documents about runs: charts by mean and sd, and published values."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from latitude._types import Floats
from latitude.lab.statistics.mean_and_spread import Correlated, Relation
from latitude.render.charts import marks, theme
from latitude.render.charts.chart import Chart, Trace, Unit, listed, unit_for
from latitude.render.charts.panels import axis_name, panels
from latitude.render.charts.theme import colour, style
from latitude.render.document import Section, Table
from latitude.results.runs import Runs, Study
from latitude.units.quantities import format_share

HEIGHT = 430
_BARS = 3
"""Least number of runs of a level whose mean has an error bar."""

_PUBLISHED = (
    ("FT", "0.70", "0.89", "7.89e-33"),
    ("CG", "0.73", "0.91", "4.94e-39"),
    ("IS", "0.76", "0.93", "8.89e-50"),
    ("MG", "0.73", "0.95", "1.31e-93"),
    ("LU", "0.76", "0.97", "5.24e-148"),
)

Place = Callable[[Runs], Floats]
"""A function that gives the positions of a cell's runs along an axis."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale that shows runtimes relative to runtimes without latency."""

    title: str

    def of(self, study: Study, T_ns: Any) -> Floats:
        """Slowdown in percent."""
        return 100 * (np.asarray(T_ns, dtype=np.float64) / (study.base_ns or 1.0) - 1)

    def half(self, study: Study, cell: Runs) -> float | None:
        """Half the 95 % interval of a cell's mean by Student's t; None if there are few runs."""
        if cell.n < _BARS:
            return None
        error = float(cell.T_ns.std(ddof=1)) / math.sqrt(cell.n)
        half = float(scipy.stats.t.ppf(0.975, cell.n - 1)) * error / (study.base_ns or 1.0)
        return listed([100 * half], 4)[0]

    def axis(self) -> dict[str, Any]:
        """The vertical axis."""
        return theme.axis(self.title, ticksuffix="%")


SLOWER = Scale("slower than without injected latency (%)")


def by_mean(cell: Runs) -> Floats:
    """Positions by the mean of the requested latency."""
    return cell.mean_ns


def by_sd(cell: Runs) -> Floats:
    """Positions by the standard deviation of the requested latency."""
    return cell.sd_ns


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel of a chart of studies: its cells and their positions."""

    title: str
    """Title above the panel."""
    axis: str
    """Title of the axis, with {unit} in place of the unit."""
    cells: Sequence[Sequence[Runs]]
    """Cells of each study."""
    place: Place
    fits: Sequence[Relation | None] = ()
    """A fitted line for each study."""
    unit: Unit | None = None

    def scale(self) -> Unit:
        """The unit of the panel's axis."""
        if self.unit is not None:
            return self.unit
        places = [self.place(cell) for cells in self.cells for cell in cells]
        return unit_for(max(float(each.max()) for each in places))


def studies_chart(
    name: str,
    title: str,
    reading: str,
    studies: Sequence[Study],
    shown: Sequence[Panel],
    scale: Scale,
    *,
    joined: bool = True,
    note: str = "",
) -> Chart:
    """Runtimes of studies in panels with one vertical scale.

    Args:
        name: name of the chart in the page.
        title: title above the chart.
        reading: the chart's finding, as a sentence.
        studies: the programs, with cells for each panel.
        shown: panels of the chart.
        scale: scale of the runtimes.
        joined: whether a line goes through the means of the levels.
        note: text below the chart.
    """
    data: list[Trace] = []
    for index, panel in enumerate(shown):
        unit = panel.scale()
        fits = panel.fits or [None] * len(studies)
        for number, (study, cells, fit) in enumerate(zip(studies, panel.cells, fits, strict=True)):
            if not cells:
                continue
            means = _means(study, cells, panel.place, unit, scale, number, joined=joined)
            drawn = [
                _runs(study, cells, panel.place, unit, scale, number),
                {**means, "showlegend": index == 0},
            ]
            if fit is not None:
                drawn.append(_fitted(study, fit, cells, panel.place, unit, scale, number))
            data += [
                {"legendgroup": study.name, "name": study.name, **each, "xaxis": axis_name(index)}
                for each in drawn
            ]
    axes = [
        theme.axis(panel.axis.format(unit=panel.scale().name), rangemode="tozero")
        for panel in shown
    ]
    figure = panels(HEIGHT, data, [panel.title for panel in shown], axes, scale.axis())
    return Chart(name, title, reading, figure, HEIGHT, note)


def _runs(
    study: Study, cells: Sequence[Runs], place: Place, unit: Unit, scale: Scale, index: int
) -> Trace:
    return marks.points(
        unit.of(np.concatenate([place(cell) for cell in cells])),
        scale.of(study, np.concatenate([cell.T_ns for cell in cells])),
        colour=colour(index),
        size=4.5,
        symbol=style(index)[1],
        opacity=0.4,
        showlegend=False,
        hover=f"a run: %{{y:.4~g}}% slower at %{{x:.4~g}} {unit.name}",
    )


def _means(
    study: Study,
    cells: Sequence[Runs],
    place: Place,
    unit: Unit,
    scale: Scale,
    index: int,
    *,
    joined: bool,
) -> Trace:
    """The levels' means, with intervals if a line joins the means."""
    made = marks.line(
        unit.of([float(place(cell).mean()) for cell in cells]),
        [float(scale.of(study, cell.T_ns).mean()) for cell in cells],
        colour=colour(index),
        width=2,
        dash=style(index)[0],
        mode="lines+markers" if joined else "markers",
        marker={"color": colour(index), "size": 7.5, "symbol": style(index)[1]},
        text=[_name(cell) for cell in cells],
        customdata=[cell.n for cell in cells],
        hover=f"%{{y:.4~g}}% slower at %{{x:.4~g}} {unit.name}<br>%{{text}}, %{{customdata}} runs",
    )
    if joined:
        made["error_y"] = intervals([scale.half(study, cell) for cell in cells], colour(index))
    return made


def _name(cell: Runs) -> str:
    load = cell.level.load
    at = "" if load is None or cell.level.family else f", load {format_share(load)}"
    return f"{cell.level.name}{at}"


def _fitted(
    study: Study,
    fit: Relation,
    cells: Sequence[Runs],
    place: Place,
    unit: Unit,
    scale: Scale,
    index: int,
) -> Trace:
    """A dashed line over the positions of the cells."""
    along = np.concatenate([place(cell) for cell in cells])
    ends = np.array([along.min(), along.max()])
    return marks.line(
        unit.of(ends),
        scale.of(study, fit.intercept_ns + fit.slope * ends),
        colour=colour(index),
        width=1.4,
        dash="dash",
        showlegend=False,
        hoverinfo="skip",
    )


def intervals(halves: Sequence[float | None], ink: str) -> dict[str, Any]:
    """Error bars with these lengths to either side."""
    return {"type": "data", "array": list(halves), "thickness": 1.2, "width": 3, "color": ink}


def lines_chart(
    studies: Sequence[Study], related: Sequence[Correlated], scale: Scale, reading: str, note: str
) -> Chart:
    """Mean runtime of each level against mean and sd of latency (Underwood et al. 2018)."""
    design = [study.design for study in studies]
    sides = (
        Panel(
            "against the mean",
            "mean of the injected latency ({unit})",
            design,
            by_mean,
            [each.mean for each in related],
        ),
        Panel(
            "against the standard deviation",
            "its standard deviation ({unit})",
            design,
            by_sd,
            [each.std for each in related],
        ),
    )
    means, sds = (
        f"{min(values):.2f}"
        if f"{min(values):.2f}" == f"{max(values):.2f}"
        else f"{min(values):.2f} to {max(values):.2f}"
        for values in ([each.mean.r for each in related], [each.std.r for each in related])
    )
    return studies_chart(
        "lines",
        "Against the mean, and against the variation",
        f"r {reading}is {means} with the mean, {sds} with the standard deviation.",
        studies,
        sides,
        scale,
        joined=False,
        note=f"As Figs. 13 and 14 of Underwood et al.{note} Points in a column on the left have "
        "one mean and rising variation.",
    )


def between_sentence(found: Iterable[Correlated | None], subject: str) -> str:
    """A sentence about how well the design can tell mean and sd apart."""
    first = next((each for each in found if each is not None), None)
    if first is None:
        return ""
    return (
        f"{subject} themselves correlated by {first.r_between:.2f}: a runtime that followed one of "
        "them alone would have this r with the other."
    )


def published_section() -> Section:
    """Table 4 as printed in Underwood et al. 2018."""
    return Section(
        "As published",
        [Table(("program", "r_mean", "r_std", "p"), _PUBLISHED)],
        "Table 4 of Underwood et al.: NPB classes B and C, 64 processes on 8 nodes, latency "
        "injected into InfiniBand’s post_send.",
    )


def listed_names(names: Sequence[str]) -> str:
    """Number and names: 2 (CG, LU)."""
    among = f" ({', '.join(names)})" if names else ""
    return f"{len(names) or 'none'}{among}"
