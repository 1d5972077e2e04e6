"""How runs and levels of a program are drawn."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from scipy import stats

from latitude._types import Floats
from latitude.experiments.suites.cells import Cell
from latitude.experiments.suites.result import Suites
from latitude.experiments.suites.study import Study
from latitude.render.charts import theme
from latitude.render.charts.chart import Trace, Unit, listed
from latitude.render.charts.panels import axis_name
from latitude.render.charts.theme import colour, style
from latitude.statistics.regression import Line

_BARS = 3
"""Runs from which on a mean has an error bar."""
SLOWER = "slower than without injected latency (%)"
Place = Callable[[Cell], Floats]


def program_traces(
    study: Study,
    cells: Sequence[Cell],
    place: Place,
    index: int,
    panel: int,
    unit: Unit,
    *,
    joined: bool = True,
) -> list[Trace]:
    """A program's runs as small points, and its levels' means with intervals."""
    if not cells:
        return []
    dash, symbol = style(index)
    same = {"legendgroup": study.name, "name": study.name, "xaxis": axis_name(panel)}
    x = np.concatenate([place(cell) for cell in cells])
    y = np.concatenate([slower_by(study, cell.T_ns) for cell in cells])
    means = [float(slower_by(study, cell.T_ns).mean()) for cell in cells]
    return [
        {
            **same,
            "type": "scatter",
            "mode": "markers",
            "showlegend": False,
            "x": listed(unit.of(x), 5),
            "y": listed(y, 5),
            "marker": {"color": colour(index), "size": 4.5, "opacity": 0.4, "symbol": symbol},
            "hovertemplate": f"a run: %{{y:.4~g}}% slower at %{{x:.4~g}} {unit.name}<extra>"
            f"{study.name}</extra>",
        },
        {
            **same,
            "type": "scatter",
            "mode": "lines+markers" if joined else "markers",
            "showlegend": panel == 0,
            "x": listed(unit.of([place(cell).mean() for cell in cells]), 5),
            "y": listed(means, 5),
            "text": [cell.level.name for cell in cells],
            "customdata": [cell.n for cell in cells],
            **(_bars(study, cells, index) if joined else {}),
            "line": {"color": colour(index), "width": 2, "dash": dash},
            "marker": {"color": colour(index), "size": 7.5, "symbol": symbol},
            "hovertemplate": f"%{{y:.4~g}}% slower at %{{x:.4~g}} {unit.name}<br>%{{text}}, "
            f"%{{customdata}} runs<extra>{study.name}</extra>",
        },
    ]


def _bars(study: Study, cells: Sequence[Cell], index: int) -> dict[str, Any]:
    return {
        "error_y": {
            "type": "data",
            "array": halves(study, cells),
            "thickness": 1.2,
            "width": 3,
            "color": colour(index),
        }
    }


def fitted(
    study: Study,
    fit: Line,
    cells: Sequence[Cell],
    place: Place,
    index: int,
    panel: int,
    unit: Unit,
) -> Trace:
    """A dashed line over the places of the cells."""
    along = np.concatenate([place(cell) for cell in cells])
    ends = np.array([along.min(), along.max()])
    return {
        "type": "scatter",
        "mode": "lines",
        "name": study.name,
        "legendgroup": study.name,
        "showlegend": False,
        "xaxis": axis_name(panel),
        "x": listed(unit.of(ends), 5),
        "y": listed(slower_by(study, fit.intercept + fit.slope * ends), 5),
        "line": {"color": colour(index), "width": 1.4, "dash": "dash"},
        "hoverinfo": "skip",
    }


def slower_by(study: Study, T_ns: Floats) -> Floats:
    """Runtimes as % over the reference."""
    percent: Floats = 100 * (T_ns / study.base_ns - 1)
    return percent


def halves(study: Study, cells: Iterable[Cell]) -> list[float | None]:
    """Half the 95% interval of each cell's mean, % of the reference; None with too few runs."""
    return [None if cell.n < _BARS else listed(_half(study, cell), 4)[0] for cell in cells]


def _half(study: Study, cell: Cell) -> float:
    error = float(cell.T_ns.std(ddof=1)) / math.sqrt(cell.n)
    return 100 * float(stats.t.ppf(0.975, cell.n - 1)) * error / study.base_ns


def vertical(result: Suites) -> dict[str, Any]:
    """The axis of slowdowns."""
    least = next((s.reference for s in result.studies if s.baseline is None), None)
    title = SLOWER if least is None else "slower than at the least latency (%)"
    return theme.axis(title, ticksuffix="%")


def by_mean(cell: Cell) -> Floats:
    """Places of runs along an axis of means."""
    return cell.mean_ns


def by_sd(cell: Cell) -> Floats:
    """… of standard deviations."""
    return cell.sd_ns
