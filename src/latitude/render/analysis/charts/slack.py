"""Slack of messages: by pair of ranks, and as a histogram."""

import numpy as np

from latitude.analysis.pairs import Floats
from latitude.render.analysis.charts.heatmap import HEIGHT, Side, block_note, heat_map, matrix
from latitude.render.charts import theme
from latitude.render.charts.chart import Chart, Unit, listed, unit_for
from latitude.results.analysis import Analysis
from latitude.units.quantities import counted, format_count, format_share, format_time

_BINS = 40
_LEAST_NS = 1.0
"""A logarithmic axis never begins below; shorter slack counts as none."""


def slack_charts(analysis: Analysis) -> list[Chart]:
    """The tightest message of each pair, and how slack is distributed."""
    return [_by_pair(analysis), _histogram(analysis)]


def _by_pair(analysis: Analysis) -> Chart:
    pairs, side = analysis.pairs, Side("rank", analysis.trace.ranks)
    finite = pairs.least_slack_ns[np.isfinite(pairs.least_slack_ns)]
    unit = unit_for(float(finite.max(initial=0.0)))
    return Chart(
        id="slack",
        title="Slack by rank pair",
        reading=_reading(analysis),
        figure=heat_map(
            side,
            matrix(side, pairs, unit.of(pairs.least_slack_ns), least=True),
            f"least slack ({unit.name})",
            f"%{{z:.4~g}} {unit.name}",
            zmin=0,
            zmax=max(1.0, float(unit.of(finite.max(initial=0.0)))),
            reversescale=True,
        ),
        height=HEIGHT,
        note=_note(side, unit),
    )


def _reading(analysis: Analysis) -> str:
    pairs = analysis.pairs
    tight = int(np.sum(pairs.least_slack_ns < analysis.baseline.L_ns))
    median = format_time(float(np.median(pairs.least_slack_ns)), 3)
    return (
        f"On {format_count(tight)} of {format_count(pairs.source.size)} pairs a single message "
        f"that arrives L = {format_time(analysis.baseline.L_ns)} later delays the program; the "
        f"median pair takes {median}."
    )


def _note(side: Side, unit: Unit) -> str:
    text = f"Dark: little slack (in {unit.name}), the pair's tightest message matters. "
    return text + block_note(side, "the least")


def _histogram(analysis: Analysis) -> Chart:
    slack = analysis.slack.slack_ns
    top = max(float(slack.max(initial=0.0)), 10 * _LEAST_NS)
    least = _begin(slack, top)
    edges = np.geomspace(least, top, _BINS + 1)
    count, _ = np.histogram(np.clip(slack, least, top), edges)
    unit = unit_for(top)
    middle = np.sqrt(edges[1:] * edges[:-1])
    text = [
        f"{format_time(low, 3)} to {format_time(high, 3)}: {counted(int(n), 'message')}"
        for low, high, n in zip(edges[:-1], edges[1:], count, strict=True)
    ]
    latency = analysis.baseline.L_ns
    ends = float(unit.of(least)), float(unit.of(top))
    figure = {
        "data": [
            {
                "type": "bar",
                "x": listed(unit.of(middle)),
                "y": count.tolist(),
                "width": listed(unit.of(np.diff(edges))),
                "marker": {"color": [_colour(m, latency) for m in middle]},
                "text": text,
                "textposition": "none",
                "hovertemplate": "%{text}<extra></extra>",
            }
        ],
        "layout": theme.layout(
            HEIGHT,
            bargap=0,
            showlegend=False,
            xaxis=theme.axis(
                f"slack ({unit.name})",
                type="log",
                range=[float(np.log10(end)) for end in ends],
                showgrid=False,
                **_decades(*ends),
            ),
            yaxis=theme.axis("messages (count)"),
        ),
    }
    return Chart(
        id="slack-histogram",
        title="Slack of messages",
        reading=_histogram_reading(analysis),
        figure=figure,
        height=HEIGHT,
        note=(f"Orange: less than one more L = {format_time(latency)}. " if least < latency else "")
        + "The first bar also holds messages without slack, which are on a critical path.",
    )


def _begin(slack: Floats, top: float) -> float:
    """Where the axis begins: the decade of the least slack there is."""
    some = slack[slack > _LEAST_NS]
    least = float(some.min(initial=top / 10))
    return float(10.0 ** np.floor(np.log10(min(least, top / 10))))


def _colour(slack: float, latency: float) -> str:
    return theme.ZONES[1] if slack < latency else theme.COMPUTATION


def _decades(low: float, high: float) -> dict[str, list[float] | list[str]]:
    """A tick a decade, which half a page has room for."""
    exponents = range(int(np.ceil(np.log10(low))), int(np.floor(np.log10(high))) + 1)
    values = [10.0**e for e in exponents]
    return {"tickvals": values, "ticktext": [f"{value:,.12g}" for value in values]}


def _histogram_reading(analysis: Analysis) -> str:
    slack, latency = analysis.slack.slack_ns, analysis.baseline.L_ns
    tight = int(np.count_nonzero(slack < latency))
    return (
        f"{format_count(tight)} of {counted(slack.size, 'message')} "
        f"({format_share(tight / slack.size)}) take less than one more latency; half of them take "
        f"{format_time(float(np.median(slack)), 3)} or more."
    )
