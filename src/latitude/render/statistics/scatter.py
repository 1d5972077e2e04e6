"""Charts of runs: scatter with regression lines, correlations with intervals."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from latitude._types import Floats
from latitude.render.charts import theme
from latitude.render.charts.chart import Chart, Unit, listed, unit_for
from latitude.render.statistics.charts import colour
from latitude.render.statistics.sentences import slope_text
from latitude.statistics.relation import Related, Relation
from latitude.statistics.table import Column

_DRAWN = 2000
"""Points drawn a group."""
HEIGHT = 420


def scatter_chart(groups: Sequence[Related], which: int) -> Chart:
    """Y against the which-th x, a colour a group ([U] Figs. 13 and 14)."""
    relations = [group.relations[which] for group in groups]
    x_unit = _unit([relation.x for relation in relations])
    y_unit = _unit([group.y for group in groups])
    traces: list[dict[str, Any]] = []
    for i, (group, relation) in enumerate(zip(groups, relations, strict=True)):
        traces += _group(group, relation, x_unit, y_unit, colour(i))
    x, y = relations[0].x, groups[0].y
    title = f"{_words(y.name)} against {_words(x.name)}"
    return Chart(
        f"scatter-{which}",
        title[0].upper() + title[1:],
        " ".join(
            f"{group.name}: slope {slope_text(relation, group.y)}, "
            f"R² = {relation.line.r_squared:.3f}."
            for group, relation in zip(groups[:4], relations[:4], strict=True)
        ),
        {
            "data": traces,
            "layout": theme.layout(
                HEIGHT,
                margin={"l": 70, "r": 28, "t": 40, "b": 52},
                showlegend=len(groups) > 1,
                xaxis=theme.axis(_axis(x, x_unit)),
                yaxis=theme.axis(_axis(y, y_unit)),
            ),
        },
        HEIGHT,
        note="Lines are least squares; the band is the line's 95 % interval."
        + (f" At most {_DRAWN:,} points a group are drawn." if _many(groups) else ""),
    )


def _many(groups: Sequence[Related]) -> bool:
    return any(group.n > _DRAWN for group in groups)


def _unit(columns: Sequence[Column]) -> Unit:
    if not columns[0].is_time:
        return Unit("", 1.0)
    return unit_for(max(float(np.abs(column.values).max()) for column in columns))


def _words(name: str) -> str:
    return name.replace("_", " ")


def _axis(column: Column, unit: Unit) -> str:
    return f"{_words(column.name)} ({unit.name})" if unit.name else _words(column.name)


def _group(
    group: Related, relation: Relation, x_unit: Unit, y_unit: Unit, line: str
) -> list[dict[str, Any]]:
    step = max(1, group.n // _DRAWN)
    at, band = _band(relation)
    fit = relation.line
    middle = fit.intercept + fit.slope * at
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "name": group.name,
            "legendgroup": group.name,
            "x": listed(x_unit.of(relation.x.values[::step]), 6),
            "y": listed(y_unit.of(group.y.values[::step]), 6),
            "marker": {"color": line, "size": 6, "opacity": 0.55},
            "hovertemplate": f"%{{x:.4~g}} {x_unit.name}, %{{y:.4~g}} {y_unit.name}<extra>"
            f"{group.name}</extra>",
        },
        {
            "type": "scatter",
            "mode": "lines",
            "showlegend": False,
            "legendgroup": group.name,
            "x": listed(x_unit.of(np.concatenate([at, at[::-1]])), 6),
            "y": listed(y_unit.of(np.concatenate([middle + band, (middle - band)[::-1]])), 6),
            "fill": "toself",
            "line": {"width": 0, "color": line},
            "opacity": 0.25,
            "hoverinfo": "skip",
        },
        {
            "type": "scatter",
            "mode": "lines",
            "showlegend": False,
            "legendgroup": group.name,
            "x": listed(x_unit.of(at[[0, -1]]), 6),
            "y": listed(y_unit.of(middle[[0, -1]]), 6),
            "line": {"color": line, "width": 2},
            "hoverinfo": "skip",
        },
    ]


def _band(relation: Relation) -> tuple[Floats, Floats]:
    """Places along the line, and half the 95 % interval of its height there."""
    x, fit = relation.x.values, relation.line
    at = np.linspace(float(x.min()), float(x.max()), 40)
    away = (at - x.mean()) / np.sqrt(np.square(x - x.mean()).sum())
    times = (fit.slope_high - fit.slope) / fit.slope_se if fit.slope_se > 0 else 0.0
    band: Floats = times * fit.residual_sd * np.sqrt(1 / fit.n + away**2)
    return at, band


def correlation_chart(groups: Sequence[Related]) -> Chart:
    """Every Pearson r with its interval."""
    height = 130 + 34 * len(groups)
    names = [group.name for group in groups]
    traces = []
    for i, first in enumerate(groups[0].relations):
        found = [group.relations[i].pearson for group in groups]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": f"with {_words(first.x.name)}",
                "x": listed([r.r for r in found], 5),
                "y": names,
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": listed([r.high - r.r for r in found], 5),
                    "arrayminus": listed([r.r - r.low for r in found], 5),
                    "color": colour(i),
                },
                "marker": {"color": colour(i), "size": 9},
                "hovertemplate": "r = %{x:.3f}<extra>%{y}</extra>",
            }
        )
    least = min(each.pearson.low for group in groups for each in group.relations)
    return Chart(
        "correlations",
        "Correlations",
        "Further right is a closer relation; bars are 95 % intervals.",
        {
            "data": traces,
            "layout": theme.layout(
                height,
                margin={"l": 24, "r": 28, "t": 44, "b": 52},
                xaxis=theme.axis("Pearson's r", range=[min(0.0, least - 0.05), 1.02]),
                yaxis=theme.axis("", autorange="reversed", ticks="", type="category"),
            ),
        },
        height,
        note="Intervals of two correlations that share the runtimes may overlap although the two "
        "differ: read Williams's test.",
    )
