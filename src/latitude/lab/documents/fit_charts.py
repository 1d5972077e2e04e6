"""Charts of a fit: density, tail, and quantiles of the samples and of the best fits."""

from dataclasses import dataclass

import numpy as np

from latitude._types import Floats
from latitude.distributions.names import scipy_distribution
from latitude.lab.results.fit import FitResult, FittedDistribution
from latitude.render.charts import kinds, marks, theme
from latitude.render.charts.chart import Chart, View, unit_for
from latitude.units.quantities import format_change, format_share, format_time

SHOWN = 3
"""Number of best fits in the charts."""
_COLOURS = (theme.LATENCY, theme.OVERHEAD, "#009e73", theme.BANDWIDTH)
_DASHES = ("solid", "dash", "dot", "dashdot")
_POINTS = 300
_BULK = 0.99
_BULK_BINS, _TAIL_BINS = 70, 60
_BAR = "#d5dde6"
_TAIL_POINTS = 400
_QUANTILES, _LAST = 250, 60
_MARGIN = {"l": 70, "r": 24, "t": 36, "b": 50}


@dataclass(frozen=True, slots=True)
class FittedCurve:
    """One distribution over the latencies of the charts."""

    name: str
    colour: str
    dash: str
    density: Floats
    """Density per ns."""
    above: Floats
    """Share of latencies above each value."""


@dataclass(frozen=True, slots=True)
class FitCurves:
    """The samples and the best fits, computed once for all charts."""

    samples: Floats
    """The samples in rising order, ns."""
    grid: Floats
    """Latencies at which the fits are evaluated, ns."""
    fits: list[FittedCurve]
    bulk_end: float
    """p99 of the samples, ns."""


def fit_charts(result: FitResult) -> list[Chart]:
    """Density, tail and quantiles of the best fits, and of the 3-parameter lognormal."""
    found = _curves(result)
    return [_density_chart(found), _tail_chart(found), _quantiles_chart(found)]


def _curves(result: FitResult) -> FitCurves:
    samples = result.chosen
    bulk_end = float(np.quantile(samples, _BULK))
    low, high = float(samples[0]), float(samples[-1])
    low = max(0.0, low - 0.05 * (bulk_end - low))
    bulk = np.linspace(low, bulk_end, _POINTS)
    tail = np.geomspace(max(bulk_end, 1.0), max(high, bulk_end, 1.0) * 2, _POINTS)
    grid = np.union1d(bulk, tail)
    best = result.winners(SHOWN)
    if not any(fit.name == "lognorm" for fit in best):
        best = [*best, result.lognormal]
    drawn = [_curve(fit, grid, _COLOURS[i], _DASHES[i]) for i, fit in enumerate(best)]
    return FitCurves(samples, grid, drawn, bulk_end)


def _curve(fit: FittedDistribution, grid: Floats, colour: str, dash: str) -> FittedCurve:
    *shapes, loc, scale = fit.parameters.values()
    frozen = scipy_distribution(fit.name)(*shapes, loc=loc, scale=scale)
    with np.errstate(all="ignore"):
        density = np.exp(np.asarray(frozen.logpdf(grid), dtype=np.float64))
        above = np.asarray(frozen.sf(grid), dtype=np.float64)
    return FittedCurve(
        fit.name, colour, dash, np.nan_to_num(density, posinf=0.0), np.nan_to_num(above)
    )


def _density_chart(found: FitCurves) -> Chart:
    """The histogram with the densities of the best fits."""
    unit = unit_for(found.bulk_end)
    low, high = float(found.samples[0]), float(found.samples[-1])
    edges = np.linspace(low, found.bulk_end, _BULK_BINS + 1)
    if high > found.bulk_end:
        edges = np.append(edges, np.linspace(found.bulk_end, high, _TAIL_BINS + 1)[1:])
    edges = np.unique(edges)
    count, _ = np.histogram(found.samples, bins=edges)
    height = count / (found.samples.size * np.diff(edges))
    bars = marks.bars(
        unit.of((edges[1:] + edges[:-1]) / 2),
        height * unit.ns,
        name="samples",
        colour=_BAR,
        width=unit.of(np.diff(edges)),
        customdata=count.tolist(),
        hover=f"%{{x:.4~g}} {unit.name}: %{{customdata:,}} samples",
    )
    lines = [
        marks.line(
            unit.of(found.grid),
            np.minimum(curve.density, 4 * height.max()) * unit.ns,
            name=curve.name,
            colour=curve.colour,
            width=2,
            dash=curve.dash,
            hover=f"{curve.name}<br>%{{x:.4~g}} {unit.name}: %{{y:.3~g}} per {unit.name}",
        )
        for curve in found.fits
    ]
    top = float(height.max()) * 1.12 * unit.ns
    first = found.grid[0] / unit.ns
    bulk = {"xaxis.range": [first, found.bulk_end / unit.ns], "yaxis.range": [0, top]}
    whole = {"xaxis.range": [first, high * 1.02 / unit.ns], "yaxis.range": [0, top]}
    return marks.chart(
        "density",
        "Density",
        _mean_and_median(found.samples),
        [bars, *lines],
        x=theme.axis(f"latency ({unit.name})", range=bulk["xaxis.range"]),
        y=theme.axis(f"density (1/{unit.name})", range=bulk["yaxis.range"]),
        height=420,
        note="Bars have equal area per sample; beyond p99 they are wider. Lines are the best fits.",
        views=[View("Up to p99", bulk), View("All samples", whole)],
        bargap=0,
        margin={**_MARGIN, "l": 62},
    )


def _mean_and_median(samples: Floats) -> str:
    mean, median = float(samples.mean()), float(np.median(samples))
    share = float(np.mean(samples > mean))
    return (
        f"The mean, {format_time(mean)}, lies {format_time(abs(mean - median))} "
        f"{'above' if mean >= median else 'below'} the median: {format_share(share)} of the "
        "latencies exceed it."
    )


def _tail_chart(found: FitCurves) -> Chart:
    """Share of longer latencies, on logarithmic axes."""
    unit = unit_for(found.bulk_end)
    samples = found.samples
    n = samples.size
    even = np.linspace(0, n - 1, _TAIL_POINTS).astype(int)
    chosen = np.unique(np.append(even, n - np.geomspace(1, n, _TAIL_POINTS).astype(int)))
    floor = 0.2 / n
    measured = marks.points(
        unit.of(samples[chosen]),
        1 - (chosen + 0.5) / n,
        name="samples",
        colour=theme.MUTED,
        size=4,
        hover=f"%{{y:.3~%}} above %{{x:.4~g}} {unit.name}",
    )
    fitted = [
        marks.line(
            unit.of(found.grid[curve.above > floor / 10]),
            curve.above[curve.above > floor / 10],
            name=curve.name,
            colour=curve.colour,
            width=2,
            dash=curve.dash,
            hover=f"{curve.name}<br>%{{y:.3~%}} above %{{x:.4~g}} {unit.name}",
        )
        for curve in found.fits
    ]
    longest, best = float(samples[-1]), found.fits[0]
    first = max(float(samples[0]), float(found.grid[1]), min(1.0, longest / 2))
    above = float(np.interp(longest, found.grid, best.above)) * n
    expected = f"{above:.2g}" if above >= 0.01 else "fewer than 0.01"  # noqa: PLR2004
    return marks.chart(
        "tail",
        "Tail",
        f"The longest latency is {format_time(longest)}; of as many samples, {best.name} expects "
        f"{expected} that long or longer.",
        [measured, *fitted],
        x=theme.log_axis(f"latency ({unit.name})", first / unit.ns, longest * 1.25 / unit.ns),
        y=theme.axis(
            "share above",
            type="log",
            range=[float(np.log10(floor)), 0.1],
            tickformat=".3~%",
            dtick=1,
        ),
        note="Both axes are logarithmic: a straight line is a power law, a bend downwards a "
        "lighter tail.",
        margin=_MARGIN,
    )


def _quantiles_chart(found: FitCurves) -> Chart:
    """Quantiles of the samples against quantiles of the fits; a correct fit is on the diagonal."""
    unit = unit_for(found.bulk_end)
    samples = found.samples
    n = samples.size
    even = np.linspace(0, n - 1, _QUANTILES).astype(int)
    index = np.unique(np.append(even, np.arange(max(0, n - _LAST), n)))
    above = 1 - (index + 0.5) / n
    low, high = float(samples[0]) / unit.ns, float(samples[-1]) * 1.05 / unit.ns
    traces = [kinds.diagonal(0, high * 2, name="as measured", dash="solid")]
    for curve in found.fits:
        fitted = _quantiles(found, curve, above)
        known = np.isfinite(fitted)
        traces.append(
            marks.points(
                unit.of(fitted[known]),
                unit.of(samples[index][known]),
                name=curve.name,
                colour=curve.colour,
                size=4.5,
                opacity=0.75,
                customdata=np.round((1 - above[known]) * 100, 3).tolist(),
                hover=f"p%{{customdata}}<br>{curve.name} %{{x:.4~g}} {unit.name}<br>"
                f"measured %{{y:.4~g}} {unit.name}",
            )
        )
    whole, bulk = [low * 0.95, high], [low * 0.95, found.bulk_end / unit.ns]
    return marks.chart(
        "qq",
        "Quantiles, measured against fitted",
        _missed(found),
        traces,
        x=theme.axis(f"fitted quantile ({unit.name})", range=whole),
        y=theme.axis(f"measured quantile ({unit.name})", range=whole),
        height=440,
        note="Points above the line: the samples are longer there than the fit says.",
        views=[
            View("All samples", {"xaxis.range": whole, "yaxis.range": whole}),
            View("Up to p99", {"xaxis.range": bulk, "yaxis.range": bulk}),
        ],
        margin=_MARGIN,
    )


def _quantiles(found: FitCurves, curve: FittedCurve, above: Floats) -> Floats:
    """Latencies above which a fit has these shares; NaN beyond the grid."""
    falling = np.minimum.accumulate(curve.above)
    known = falling > 0
    rising = -np.log(falling[known])
    value: Floats = np.interp(-np.log(above), rising, found.grid[known], np.nan, np.nan)
    return value


def _missed(found: FitCurves) -> str:
    best, samples = found.fits[0], found.samples
    shares = np.array([0.5, 0.9, _BULK])
    errors = _quantiles(found, best, 1 - shares) / np.quantile(samples, shares) - 1
    if not np.isfinite(errors).all():
        return f"{best.name} against the samples."
    p50, p90, p99 = map(format_change, errors.tolist())
    return f"{best.name} misses the median by {p50}, p90 by {p90} and p99 by {p99}."
