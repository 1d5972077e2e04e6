"""The histogram with the densities of the best fits."""

from typing import Any

import numpy as np

from latitude.render.charts import theme
from latitude.render.charts.chart import Chart, View, listed, unit_for
from latitude.render.fit.curves import Curves
from latitude.units.quantities import format_share, format_time

HEIGHT = 420
_BULK_BINS, _TAIL_BINS = 70, 60
_BAR = "#d5dde6"


def density_chart(found: Curves) -> Chart:
    """Bars of the samples, lines of the fits."""
    unit = unit_for(found.bulk_end)
    low, high = float(found.samples[0]), float(found.samples[-1])
    edges = np.linspace(low, found.bulk_end, _BULK_BINS + 1)
    if high > found.bulk_end:
        edges = np.append(edges, np.linspace(found.bulk_end, high, _TAIL_BINS + 1)[1:])
    edges = np.unique(edges)
    count, _ = np.histogram(found.samples, bins=edges)
    height = count / (found.samples.size * np.diff(edges))
    traces: list[dict[str, Any]] = [
        {
            "type": "bar",
            "name": "samples",
            "x": listed(unit.of((edges[1:] + edges[:-1]) / 2)),
            "width": listed(unit.of(np.diff(edges))),
            "y": listed(height * unit.ns),
            "customdata": listed(count),
            "marker": {"color": _BAR, "line": {"width": 0}},
            "hovertemplate": f"%{{x:.4~g}} {unit.name}: %{{customdata:,}} samples<extra></extra>",
        }
    ]
    traces += [
        {
            "type": "scatter",
            "mode": "lines",
            "name": curve.name,
            "x": listed(unit.of(found.grid)),
            "y": listed(np.minimum(curve.density, 4 * height.max()) * unit.ns, 6),
            "line": {"color": curve.colour, "width": 2, "dash": curve.dash},
            "hovertemplate": f"{curve.name}<br>%{{x:.4~g}} {unit.name}: %{{y:.3~g}} per "
            f"{unit.name}<extra></extra>",
        }
        for curve in found.fits
    ]
    top = float(height.max()) * 1.12 * unit.ns
    first = found.grid[0] / unit.ns
    bulk = {"xaxis.range": [first, found.bulk_end / unit.ns], "yaxis.range": [0, top]}
    whole = {"xaxis.range": [first, high * 1.02 / unit.ns], "yaxis.range": [0, top]}
    figure = {
        "data": traces,
        "layout": theme.layout(
            HEIGHT,
            bargap=0,
            margin={"l": 62, "r": 24, "t": 36, "b": 50},
            xaxis=theme.axis(f"latency ({unit.name})", range=bulk["xaxis.range"]),
            yaxis=theme.axis(f"density (1/{unit.name})", range=bulk["yaxis.range"]),
        ),
    }
    return Chart(
        id="density",
        title="Density",
        reading=_reading(found),
        figure=figure,
        height=HEIGHT,
        note="Bars have equal area per sample; beyond p99 they are wider. Lines are the best fits.",
        views=[View("Up to p99", bulk), View("All samples", whole)],
    )


def _reading(found: Curves) -> str:
    samples = found.samples
    mean, median = float(samples.mean()), float(np.median(samples))
    share = float(np.mean(samples > mean))
    return (
        f"The mean, {format_time(mean)}, lies {format_time(abs(mean - median))} "
        f"{'above' if mean >= median else 'below'} the median: {format_share(share)} of the "
        "latencies exceed it."
    )
