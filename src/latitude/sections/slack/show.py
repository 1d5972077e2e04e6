"""Shows the slack of messages."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from latitude._types import Floats
from latitude.render.charts import marks, theme
from latitude.render.charts.chart import Chart, unit_for
from latitude.render.document import Beside, Part, Section, Table, code
from latitude.render.documents.analysis_charts import LEGEND
from latitude.render.documents.pair_charts import HEIGHT, PairAxis, heat_map, matrix
from latitude.render.shown import Shown, Text
from latitude.render.tables import table
from latitude.results.analysis import Analysis
from latitude.sections.pairs.result import Pairs
from latitude.sections.slack.result import PairSlack, Slack, SlackGroup, slack_csv
from latitude.units.quantities import counted, format_count, format_share, format_size, format_time

_BESIDE = 64
"""Largest number of ranks for two charts side by side."""
_BINS = 40
_LEAST_NS = 1.0
"""Least value on the logarithmic axis, ns; less slack counts as none."""
_COMMUNICATORS = 12
"""Largest number of communicators in the table; slack.csv has all."""
SLACK_NOTE = (
    "By the call that posted the receive. Critical: without slack. Less than L: one more L on each "
    "latency of this message alone (a rendezvous has several) delays the program."
)


def slack_table(slack: Slack, *, brief: bool = False) -> Table:
    """One row per call and communicator; with `brief` the terminal shows the rows of calls."""
    groups = [*slack.by_call, *(slack.by_comm[:_COMMUNICATORS] if len(slack.by_comm) > 1 else ())]
    return table(
        groups,
        ("messages of", lambda group: code(group.name) if "MPI_" in group.name else group.name),
        "messages",
        "critical",
        "tight",
        "least_ns",
        "mean_ns",
        brief=len(slack.by_call) if brief else 0,
    )


def _parts(analysis: Analysis) -> list[Part]:
    slack = analysis.slack
    if slack is None or not slack.by_call:
        return []
    charts = _charts(analysis, slack)
    listed = counted(len(slack.by_pair), "pair")
    return [
        *([Beside(charts)] if analysis.trace.ranks <= _BESIDE else charts),
        Section(
            "Slack of messages",
            [slack_table(slack, brief=analysis.streamed is not None)],
            note=f"{SLACK_NOTE} slack.csv has {listed} of ranks, those with least slack.",
        ),
        *sizes_chart(slack, analysis.model.S_bytes),
    ]


def _charts(analysis: Analysis, slack: Slack) -> list[Chart]:
    """Charts of the tightest message of each pair, and of all messages, if these are known."""
    ranks, latency = analysis.trace.ranks, analysis.baseline.L_ns
    every: Pairs | PairSlack | None = slack.by_pair
    if len(slack.by_pair) < slack.pairs:
        in_memory = analysis.pairs is not None and analysis.streamed is None
        every = analysis.pairs.every if in_memory and analysis.pairs is not None else None
    charts = [] if every is None else [slack_chart(every, latency, ranks)]
    if slack.slack_ns is not None:
        charts.append(_slack_histogram(slack.slack_ns, latency))
    return charts


def slack_chart(pairs: Pairs | PairSlack, latency: float, count: int) -> Chart:
    """The tightest message of each pair of `count` ranks; `latency` is L in ns."""
    side = PairAxis("rank", count)
    top = float(pairs.least_slack_ns[np.isfinite(pairs.least_slack_ns)].max(initial=0.0))
    unit = unit_for(top)
    tight = int(np.count_nonzero(pairs.least_slack_ns < latency))
    reading = (
        f"On {format_count(tight)} of {format_count(len(pairs))} pairs L = "
        f"{format_time(latency)} more on a single message delays the program; the median pair "
        f"takes {format_time(float(np.median(pairs.least_slack_ns)), 3)}."
    )
    return heat_map(
        side,
        matrix(side, pairs.source, pairs.destination, unit.of(pairs.least_slack_ns), least=True),
        ("slack", "Slack by rank pair", reading),
        f"least slack ({unit.name})",
        f"%{{z:.4~g}} {unit.name}",
        f"Strong colour: little slack (in {unit.name}), the pair's tightest message matters. "
        + side.block_note("the least"),
        zmin=0,
        zmax=max(1.0, float(unit.of(top))),
        reversescale=True,
    )


def _slack_histogram(slack: Floats, latency: float) -> Chart:
    """A histogram of messages' slack (ns) on a logarithmic axis; `latency` is L."""
    top = max(float(slack.max(initial=0.0)), 10 * _LEAST_NS)
    some = float(slack[slack > _LEAST_NS].min(initial=top / 10))
    least = float(10.0 ** np.floor(np.log10(min(some, top / 10))))
    edges = np.geomspace(least, top, _BINS + 1)
    count, _ = np.histogram(np.clip(slack, least, top), edges)
    middle = np.sqrt(edges[1:] * edges[:-1])
    unit = unit_for(float(np.sqrt(least * top)))  # few digits at either end
    text = [
        f"{format_time(low, 3)} to {format_time(high, 3)}: {counted(int(n), 'message')}"
        for low, high, n in zip(edges[:-1], edges[1:], count, strict=True)
    ]
    bars = marks.bars(
        unit.of(middle),
        count,
        colour=[theme.ZONES[1] if m < latency else theme.COMPUTATION for m in middle],
        text=text,
        textposition="none",
        hover="%{text}",
    )
    bars["width"] = unit.of(np.diff(edges)).tolist()
    ends = float(unit.of(least)), float(unit.of(top))
    tight = int(np.count_nonzero(slack < latency))
    orange = f"Orange: less than one more L = {format_time(latency)}. " if least < latency else ""
    return marks.chart(
        "slack-histogram",
        "How much slack messages have",
        f"{format_count(tight)} of {counted(slack.size, 'message')} "
        f"({format_share(tight / slack.size)}) take less than one more L; half of them take "
        f"{format_time(float(np.median(slack)), 3)} or more.",
        [bars],
        x=theme.axis(
            f"slack ({unit.name})",
            type="log",
            range=[float(np.log10(end)) for end in ends],
            showgrid=False,
            **_decades(*ends),
        ),
        y=theme.axis("messages (count)"),
        height=HEIGHT,
        note=orange
        + "The first bar also holds messages without slack, which are on a critical path.",
        bargap=0,
        showlegend=False,
    )


def _decades(low: float, high: float) -> dict[str, Any]:
    """One tick per decade, because half a page has no room for more."""
    exponents = range(int(np.ceil(np.log10(low))), int(np.floor(np.log10(high))) + 1)
    values = [10.0**e for e in exponents]
    return {
        "tickvals": values,
        "ticktext": [f"{value:,.12f}".rstrip("0").rstrip(".") for value in values],
    }


def sizes_chart(slack: Slack, eager_limit: int) -> list[Chart]:
    """Messages by size: bars without slack, with little, and with more; empty without messages."""
    groups = slack.by_size
    if not groups:
        return []
    labels = [format_size(int(group.name)) for group in groups]
    tight = [group.tight - group.critical for group in groups]
    loose = [group.messages - group.tight for group in groups]
    kinds = (
        ("critical: without slack", [group.critical for group in groups], theme.LATENCY),
        ("slack under L", tight, theme.OVERHEAD),
        ("more slack", loose, theme.COMPUTATION),
    )
    return [
        marks.chart(
            "sizes",
            "Which sizes of messages latency hurts",
            _sizes_reading(groups),
            [
                marks.bars(labels, counts, name=name, colour=colour, hover=f"%{{y:,}} {name}")
                for name, counts, colour in kinds
            ],
            x=theme.axis(
                "size: at most, and over half of it (bytes)", type="category", showgrid=False
            ),
            y=theme.axis("messages (count)"),
            height=300,
            note=f"Messages over S = {format_size(eager_limit)} pay a rendezvous: several "
            "latencies each.",
            barmode="stack",
            bargap=0.2,
            margin={"l": 62, "r": 24, "t": 40, "b": 48},
            legend=LEGEND,
        )
    ]


def _sizes_reading(groups: Sequence[SlackGroup]) -> str:
    messages = sum(group.messages for group in groups)
    critical = sum(group.critical for group in groups)
    most = max(groups, key=lambda group: group.messages)
    reading = (
        f"{format_share(most.messages / messages)} of the messages hold up to "
        f"{format_size(int(most.name))}"
    )
    if not critical:
        return f"{reading}; all have slack."
    worst = max(groups, key=lambda group: group.critical)
    return (
        f"{reading}; of those without slack {format_share(worst.critical / critical)} hold up to "
        f"{format_size(int(worst.name))}."
    )


def _csv(analysis: Analysis) -> Text | None:
    slack = analysis.slack
    return None if slack is None else lambda: slack_csv(slack)


SHOWN = Shown(_parts, {"slack.csv": _csv})
