"""The pictures of [U] Figs. 11–16, of any programs: pairs of panels with one scale."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from latitude.experiments.variation.design import FITTED, NAMES
from latitude.experiments.variation.result import Study, Variation, spread_costs
from latitude.random.forecast import LatencySource
from latitude.render.charts import theme
from latitude.render.charts.chart import Chart, listed, unit_for
from latitude.render.charts.panels import axis_name, panels
from latitude.render.charts.theme import colour, style
from latitude.render.variation.words import mean_ns
from latitude.statistics.mean_and_spread import Relation
from latitude.units.quantities import format_share, format_time

_HEIGHT = 430
_LOW, _HIGH = 0.2, 0.7
"""The loads of [U] Figs. 15 and 16."""
_RATIO = "runtime, as a multiple of that without"


def charts(result: Variation) -> list[Chart]:
    """All of them."""
    return [rising_chart(result), lines_chart(result), spread_chart(result)]


def rising_chart(result: Variation) -> Chart:
    """Runtime against the mean, at constant latency and at the fitted lognormal."""
    loads = result.design.loads
    means = [mean_ns(result, load) for load in loads]
    unit = unit_for(means[-1])
    data = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": study.name,
            "legendgroup": study.name,
            "showlegend": panel == 0,
            "x": listed(unit.of(means), 5),
            "y": listed([study.times(load, name) for load in loads], 5),
            "xaxis": axis_name(panel),
            "text": [f"load {format_share(load)}" for load in loads],
            "line": {"color": colour(index), "width": 2.2, "dash": style(index)[0]},
            "marker": {"size": 6, "symbol": style(index)[1]},
            "hovertemplate": f"%{{y:.4~g}}× at a mean of %{{x:.4~g}} {unit.name}<br>%{{text}}"
            f"<extra>{study.name}</extra>",
        }
        for panel, name in enumerate((NAMES[0], FITTED))
        for index, study in enumerate(result.studies)
    ]
    top = max(result.studies, key=lambda s: s.times(loads[-1], FITTED))
    title = f"mean of the injected latency ({unit.name})"
    return Chart(
        "rising",
        "Rising mean, without and with variation",
        f"{top.name} suffers most at the highest load: {top.times(loads[-1], FITTED):.3g} times "
        f"its runtime under the lognormal, {top.times(loads[-1], NAMES[0]):.3g} times under a "
        "constant of the same mean.",
        panels(
            _HEIGHT,
            data,
            ("constant latency", "lognormal of the same means"),
            [theme.axis(title, rangemode="tozero")] * 2,
            _vertical(),
        ),
        _HEIGHT,
        note="As Figs. 11 and 12 of Underwood et al.; points are loads of "
        f"{', '.join(map(format_share, loads))}.",
    )


def lines_chart(result: Variation) -> Chart:
    """Mean runtime of each distribution against its mean and against its sd."""
    data: list[dict[str, Any]] = []
    for panel, name in enumerate(("mean", "std")):
        x = np.array([_figure_of(t.latency, name) for t in result.design.treatments])
        unit = unit_for(float(x.max()))
        for index, study in enumerate(result.studies):
            y = np.array([run.mean_ns for run in study.runs]) / (study.T0_ns or 1.0)
            label = {
                "name": study.name,
                "legendgroup": study.name,
                "xaxis": axis_name(panel),
            }
            data.append(
                {
                    **label,
                    "type": "scatter",
                    "mode": "markers",
                    "showlegend": panel == 0,
                    "x": listed(unit.of(x), 5),
                    "y": listed(y, 5),
                    "text": [
                        f"{t.name}, load {format_share(t.load)}" for t in result.design.treatments
                    ],
                    "marker": {
                        "color": colour(index),
                        "size": 6,
                        "opacity": 0.75,
                        "symbol": style(index)[1],
                    },
                    "hovertemplate": f"%{{y:.4~g}}× at %{{x:.4~g}} {unit.name}<br>%{{text}}<extra>"
                    f"{study.name}</extra>",
                }
            )
            if (relation := _relation(study, name)) is None:
                continue
            ends = np.array([x.min(), x.max()])
            fit = relation.line
            data.append(
                {
                    **label,
                    "type": "scatter",
                    "mode": "lines",
                    "showlegend": False,
                    "x": listed(unit.of(ends), 5),
                    "y": listed((fit.intercept + fit.slope * ends) / (study.T0_ns or 1.0), 5),
                    "line": {"color": colour(index), "width": 1.4, "dash": "dash"},
                    "hoverinfo": "skip",
                }
            )
    units = [
        unit_for(max(_figure_of(t.latency, name) for t in result.design.treatments))
        for name in ("mean", "std")
    ]
    return Chart(
        "lines",
        "Against the mean, and against the variation",
        f"r is {_range(result.studies, 'mean')} with the mean, {_range(result.studies, 'std')} "
        "with the standard deviation.",
        panels(
            _HEIGHT,
            data,
            ("against the mean", "against the standard deviation"),
            (
                theme.axis(f"mean of the injected latency ({units[0].name})", rangemode="tozero"),
                theme.axis(f"its standard deviation ({units[1].name})", rangemode="tozero"),
            ),
            _vertical(),
        ),
        _HEIGHT,
        note="As Figs. 13 and 14 of Underwood et al. A point is the mean runtime under one "
        "distribution; dashed lines are least squares. Points in a column on the left have one "
        "mean and rising variation.",
    )


def spread_chart(result: Variation) -> Chart:
    """Boxes of the runs at two means, by rising variation."""
    loads = [result.design.nearest(load) for load in (_LOW, _HIGH)]
    data: list[dict[str, Any]] = []
    for panel, load in enumerate(loads):
        sds = [t.latency.sd for t in result.design.treatments if t.load == load]
        labels = [f"sd {format_time(sd, 3)}" for sd in sds]
        for index, study in enumerate(result.studies):
            base = study.T0_ns or 1.0
            runs = [study.at(load, name).T_ns for name in NAMES]
            data.append(
                {
                    "type": "box",
                    "name": study.name,
                    "legendgroup": study.name,
                    "showlegend": panel == 0,
                    "offsetgroup": study.name,
                    "xaxis": axis_name(panel),
                    "x": [label for label, T in zip(labels, runs, strict=True) for _ in T],
                    "y": listed(np.concatenate(runs) / base, 5),
                    "boxmean": True,
                    "marker": {"color": colour(index), "size": 3},
                    "line": {"width": 1.3},
                }
            )
    titles = [
        f"load {format_share(load)}: mean {format_time(mean_ns(result, load), 3)}" for load in loads
    ]
    top = max(result.studies, key=lambda s: spread_costs(s, loads[1]))
    axes = [theme.axis("", type="category")] * 2
    figure = panels(_HEIGHT, data, titles, axes, _vertical(), boxmode="group")
    return Chart(
        "spread",
        "More variation at the same mean",
        f"At {format_share(loads[1])} load the widest distribution costs {top.name} "
        f"{format_share(spread_costs(top, loads[1]))} more than a constant of the same mean, at "
        f"{format_share(loads[0])} load {format_share(spread_costs(top, loads[0]))}.",
        figure,
        _HEIGHT,
        note="As Figs. 15 and 16 of Underwood et al.: the constant first, then lognormals of 100, "
        "75, 50 and 25 % of the fitted scale. Boxes are quartiles of the runs, dashed their mean.",
    )


def _vertical() -> dict[str, Any]:
    return theme.axis(_RATIO, ticksuffix="×", rangemode="tozero")


def _figure_of(latency: LatencySource, name: str) -> float:
    return float(latency.mean if name == "mean" else latency.sd)


def _relation(study: Study, name: str) -> Relation | None:
    found = study.by_distribution
    if found is None:
        return None
    return found.mean if name == "mean" else found.std


def _range(studies: Sequence[Study], name: str) -> str:
    relations = (_relation(study, name) for study in studies)
    values = [relation.pearson.r for relation in relations if relation is not None]
    if not values:
        return "undefined"
    low, high = min(values), max(values)
    return f"{low:.2f}" if f"{low:.2f}" == f"{high:.2f}" else f"{low:.2f} to {high:.2f}"
