"""Quantiles of the samples against quantiles of the best fits."""

from typing import Any

import numpy as np

from latitude.render.charts import theme
from latitude.render.charts.chart import Chart, View, listed, unit_for
from latitude.render.fit.curves import BULK, Curves, quantiles
from latitude.units.quantities import format_share

HEIGHT = 440
_POINTS = 250
_LAST = 60
_AWAY = 0.1


def qq_chart(found: Curves) -> Chart:
    """One point a quantile; on the diagonal where the fit is right."""
    unit = unit_for(found.bulk_end)
    samples = found.samples
    index = np.unique(
        np.append(
            np.linspace(0, samples.size - 1, _POINTS).astype(int),
            np.arange(max(0, samples.size - _LAST), samples.size),
        )
    )
    above = 1 - (index + 0.5) / samples.size
    low, high = float(samples[0]) / unit.ns, float(samples[-1]) * 1.05 / unit.ns
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": "as measured",
            "x": [0, high * 2],
            "y": [0, high * 2],
            "line": {"color": theme.MUTED, "width": 1},
            "hoverinfo": "skip",
        }
    ]
    for curve in found.fits:
        fitted = quantiles(found, curve, above)
        known = np.isfinite(fitted)
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": curve.name,
                "x": listed(unit.of(fitted[known])),
                "y": listed(unit.of(samples[index][known])),
                "customdata": listed((1 - above[known]) * 100, 5),
                "marker": {"color": curve.colour, "size": 4.5, "opacity": 0.75},
                "hovertemplate": f"p%{{customdata}}<br>{curve.name} %{{x:.4~g}} {unit.name}<br>"
                f"measured %{{y:.4~g}} {unit.name}<extra></extra>",
            }
        )
    whole, bulk = [low * 0.95, high], [low * 0.95, found.bulk_end / unit.ns]
    figure = {
        "data": traces,
        "layout": theme.layout(
            HEIGHT,
            margin={"l": 70, "r": 24, "t": 36, "b": 50},
            xaxis=theme.axis(f"fitted quantile ({unit.name})", range=whole),
            yaxis=theme.axis(f"measured quantile ({unit.name})", range=whole),
        ),
    }
    return Chart(
        id="qq",
        title="Quantiles, measured against fitted",
        reading=_reading(found),
        figure=figure,
        height=HEIGHT,
        note="Points above the line: the samples are longer there than the fit says.",
        views=[
            View("All samples", {"xaxis.range": whole, "yaxis.range": whole}),
            View("Up to p99", {"xaxis.range": bulk, "yaxis.range": bulk}),
        ],
    )


def _reading(found: Curves) -> str:
    best, samples = found.fits[0], found.samples
    shares = np.array([0.5, 0.9, BULK])
    fitted = quantiles(found, best, 1 - shares)
    errors = fitted / np.quantile(samples, shares) - 1
    if not np.isfinite(errors).all():
        return f"{best.name} against the samples."
    p50, p90, p99 = (_signed(error) for error in errors.tolist())
    return f"{best.name} misses the median by {p50}, p90 by {p90} and p99 by {p99}."


def _signed(error: float) -> str:
    return f"{'+' if error >= 0 else '−'}{format_share(abs(error))}"
