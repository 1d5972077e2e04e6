"""The pictures of [U] Figs. 11–16, of any programs."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from latitude.forecast.variation import LEVELS, Study
from latitude.report import theme
from latitude.report.chart import Chart, listed, unit_for
from latitude.statistics.charts import colour
from latitude.statistics.regression import line
from latitude.units import format_share

_HEIGHT = 400
_LOW, _HIGH = 2, 6
"""Levels nearest to [U]'s 20 % and 70 % congestion."""
_NAMES = ("constant", "lognormal-100", "lognormal-75", "lognormal-50", "lognormal-25")


def charts(studies: Sequence[Study]) -> list[Chart]:
    """All of them."""
    return [
        _by_level(studies, "constant", "mean", "Constant latency", "Fig. 11"),
        _by_level(
            studies, "lognormal-100", "varied", "Lognormal latency of the same means", "Fig. 12"
        ),
        _scatter(studies, "against-mean", "Runtime against mean latency", "mean", "Fig. 13"),
        _scatter(studies, "against-sd", "Runtime against its variation", "sd", "Fig. 14"),
        _at_level(studies, _LOW, "low", "Fig. 15"),
        _at_level(studies, _HIGH, "high", "Fig. 16"),
    ]


def _figure(data: list[dict[str, Any]], x: dict[str, Any], **options: Any) -> dict[str, Any]:
    return {
        "data": data,
        "layout": theme.layout(
            _HEIGHT,
            margin={"l": 70, "r": 28, "t": 44, "b": 52},
            showlegend=True,
            xaxis=x,
            yaxis=theme.axis("runtime against that without", ticksuffix="×", rangemode="normal"),
            **options,
        ),
    }


def _worst(studies: Sequence[Study], ratio: Callable[[Study], float]) -> str:
    top = max(studies, key=ratio)
    return f"{top.name} suffers most: {ratio(top):.3g} times its runtime without."


def _by_level(studies: Sequence[Study], kind: str, name: str, title: str, figure: str) -> Chart:
    levels = list(range(1, LEVELS + 1))
    means = [_mean(studies[0], level) for level in levels]
    unit = unit_for(means[-1])
    data = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": study.name,
            "x": listed(unit.of(means)),
            "y": listed([study.slowdown(level, kind) for level in levels]),
            "line": {"color": colour(index), "width": 2.2},
            "hovertemplate": f"%{{y:.4~g}}× at %{{x:.4~g}} {unit.name}<extra>{study.name}</extra>",
        }
        for index, study in enumerate(studies)
    ]
    return Chart(
        name,
        title,
        _worst(studies, lambda study: study.slowdown(LEVELS, kind)),
        _figure(data, theme.axis(f"mean latency added ({unit.name})", rangemode="tozero")),
        _HEIGHT,
        note=f"As {figure} of Underwood et al.",
    )


def _mean(study: Study, level: int) -> float:
    return next(r.treatment.latency.mean for r in study.runs if r.treatment.level == level)


def _scatter(studies: Sequence[Study], name: str, title: str, column: str, figure: str) -> Chart:
    unit = unit_for(max(getattr(run.treatment.latency, column) for run in studies[0].runs))
    data: list[dict[str, Any]] = []
    for index, study in enumerate(studies):
        x = np.array([getattr(run.treatment.latency, column) for run in study.runs])
        y = np.array([run.T_ns.mean() for run in study.runs]) / study.T0_ns
        fit = line(x, y)
        ends = np.array([x.min(), x.max()])
        data += [
            {
                "type": "scatter",
                "mode": "markers",
                "name": study.name,
                "legendgroup": study.name,
                "x": listed(unit.of(x)),
                "y": listed(y),
                "text": [f"{r.treatment.name}, level {r.treatment.level}" for r in study.runs],
                "marker": {"color": colour(index), "size": 6, "opacity": 0.75},
                "hovertemplate": f"%{{y:.4~g}}× at %{{x:.4~g}} {unit.name}<br>%{{text}}<extra>"
                f"{study.name}</extra>",
            },
            {
                "type": "scatter",
                "mode": "lines",
                "showlegend": False,
                "legendgroup": study.name,
                "x": listed(unit.of(ends)),
                "y": listed(fit.intercept + fit.slope * ends),
                "line": {"color": colour(index), "width": 1.4, "dash": "dash"},
                "hoverinfo": "skip",
            },
        ]
    what = {"mean": "mean latency added", "sd": "standard deviation of the latency added"}[column]
    return Chart(
        name,
        title,
        _fit_reading(studies, column),
        _figure(data, theme.axis(f"{what} ({unit.name})", rangemode="tozero")),
        _HEIGHT,
        note=f"A point is the mean of the runs of one distribution; dashed: the line of best fit. "
        f"As {figure} of Underwood et al.",
    )


def _fit_reading(studies: Sequence[Study], column: str) -> str:
    found = [
        s.compared.mean.r if column == "mean" else s.compared.std.r for s in studies if s.compared
    ]
    if not found:
        return "Latency changes no runtime."
    what = "mean" if column == "mean" else "standard deviation"
    return f"Correlation of runtime with the {what}: {min(found):.2f} to {max(found):.2f}."


def _at_level(studies: Sequence[Study], level: int, name: str, figure: str) -> Chart:
    mean = _mean(studies[0], level)
    unit = unit_for(mean)
    data = []
    for index, study in enumerate(studies):
        runs = {r.treatment.name: r for r in study.runs if r.treatment.level == level}
        data.append(
            {
                "type": "bar",
                "name": study.name,
                "x": [
                    f"{n}<br>sd {runs[n].treatment.latency.sd / unit.ns:.3g} {unit.name}"
                    for n in _NAMES
                ],
                "y": listed([100 * (runs[n].T_ns.mean() / study.T0_ns - 1) for n in _NAMES]),
                "marker": {"color": colour(index)},
                "hovertemplate": "+%{y:.3~g}%<extra>" + study.name + "</extra>",
            }
        )

    def added(study: Study) -> float:
        return study.slowdown(level, "lognormal-25") / study.slowdown(level, "constant") - 1

    top = max(studies, key=added)
    chart = _figure(data, theme.axis("", type="category"), barmode="group")
    chart["layout"]["yaxis"] = theme.axis("slower than without (%)", rangemode="tozero")
    return Chart(
        f"level-{name}",
        f"Variation at one mean of {mean / unit.ns:.3g} {unit.name}",
        f"At this mean the widest distribution costs {top.name} {format_share(added(top))} more "
        "than a constant.",
        chart,
        _HEIGHT,
        note=f"As {figure} of Underwood et al.",
    )
