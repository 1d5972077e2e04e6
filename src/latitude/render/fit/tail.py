"""How many latencies are longer: the tail, on logarithmic axes."""

from typing import Any

import numpy as np

from latitude.render.charts import theme
from latitude.render.charts.chart import Chart, listed, unit_for
from latitude.render.fit.curves import Curves
from latitude.units.quantities import format_time

HEIGHT = 400
_POINTS = 400


def tail_chart(found: Curves) -> Chart:
    """Share of latencies above, samples and fits."""
    unit = unit_for(found.bulk_end)
    samples = found.samples
    chosen = np.unique(
        np.concatenate(
            [
                np.linspace(0, samples.size - 1, _POINTS).astype(int),
                samples.size - np.unique(np.geomspace(1, samples.size, _POINTS).astype(int)),
            ]
        )
    )
    above = 1 - (chosen + 0.5) / samples.size
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": "samples",
            "x": listed(unit.of(samples[chosen])),
            "y": listed(above),
            "marker": {"color": theme.MUTED, "size": 4},
            "hovertemplate": f"%{{y:.3~%}} above %{{x:.4~g}} {unit.name}<extra></extra>",
        }
    ]
    floor = 0.2 / samples.size
    for curve in found.fits:
        shown = curve.above > floor / 10
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": curve.name,
                "x": listed(unit.of(found.grid[shown])),
                "y": listed(curve.above[shown]),
                "line": {"color": curve.colour, "width": 2, "dash": curve.dash},
                "hovertemplate": f"{curve.name}<br>%{{y:.3~%}} above %{{x:.4~g}} {unit.name}"
                "<extra></extra>",
            }
        )
    first = max(float(samples[0]), float(found.grid[1]), 1.0)
    span = [np.log10(first / unit.ns), np.log10(samples[-1] * 1.25 / unit.ns)]
    figure = {
        "data": traces,
        "layout": theme.layout(
            HEIGHT,
            margin={"l": 70, "r": 24, "t": 36, "b": 50},
            xaxis=theme.axis(
                f"latency ({unit.name})",
                type="log",
                range=listed(span),
                **theme.log_ticks(first / unit.ns, 10 ** span[1]),
            ),
            yaxis=theme.axis(
                "share above",
                type="log",
                range=listed([np.log10(floor), 0.1]),
                tickformat=".3~%",
                dtick=1,
            ),
        ),
    }
    return Chart(
        id="tail",
        title="Tail",
        reading=_reading(found),
        figure=figure,
        height=HEIGHT,
        note="Both axes are logarithmic: a straight line is a power law, a bend downwards a "
        "lighter tail.",
    )


def _reading(found: Curves) -> str:
    samples = found.samples
    longest = float(samples[-1])
    best = found.fits[0]
    above = float(np.interp(longest, found.grid, best.above)) * samples.size
    expected = f"{above:.2g}" if above >= 0.01 else "fewer than 0.01"  # noqa: PLR2004
    return (
        f"The longest latency is {format_time(longest)}; of as many samples, {best.name} expects "
        f"{expected} that long or longer."
    )
