"""Pairs of ranks and nodes as matrices (λ_ij, λ_G,ij, slack), and the slack of all messages."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from latitude._types import Floats, Integers
from latitude.analysis.messages import node_pairs
from latitude.model.links import Links
from latitude.render.charts import marks, theme
from latitude.render.charts.chart import Chart, unit_for
from latitude.results.analysis import Analysis
from latitude.results.messages import Pairs, PairSlack, PairsOnPath, Slack
from latitude.units.quantities import counted, format_count, format_share, format_size, format_time

_HEIGHT = 400
_MAX_CELLS = 256
"""Rows; more are drawn in blocks."""
_GAPS = 64
"""Up to so many rows a gap between cells does not hide them."""
_BINS = 40
_LEAST_NS = 1.0
"""A logarithmic axis never begins below; shorter slack counts as none."""


@dataclass(frozen=True, slots=True)
class PairAxis:
    """What the rows and columns are: so many ranks, or nodes with these numbers."""

    word: str
    count: int
    numbers: tuple[int, ...] | None = None

    @property
    def block(self) -> int:
        """How many share a row."""
        return -(-self.count // _MAX_CELLS)

    def labels(self) -> list[int] | list[str]:
        """Of the rows."""
        if self.block > 1:
            starts = range(0, self.count, self.block)
            return [f"{i}–{min(i + self.block, self.count) - 1}" for i in starts]
        if self.numbers is None or self.numbers == tuple(range(self.count)):
            return list(range(self.count))
        return [str(number) for number in self.numbers]

    def block_note(self, how: str) -> str:
        """What a cell is, where it is no single pair."""
        cell = f"Each cell is {how} of {self.block} × {self.block} {self.word}s."
        return cell if self.block > 1 else ""

    def pair(self, pairs: PairsOnPath, index: int) -> str:
        """The ends of a pair: `rank 0 → 1`."""
        ends = int(pairs.source[index]), int(pairs.destination[index])
        first, second = ends if self.numbers is None else (self.numbers[end] for end in ends)
        return f"{self.word} {first} → {second}"


def pair_charts(analysis: Analysis, slack: Slack) -> list[Chart]:
    """Latencies and bytes by rank pair, by node pair where ranks share nodes, and slack."""
    ranks = PairAxis("rank", analysis.trace.ranks)
    return [
        *path_pair_charts(analysis.pairs, ranks.count, analysis.links),
        slack_chart(analysis.pairs, analysis.baseline.L_ns, ranks.count),
        _slack_histogram(slack.slack_ns, analysis.baseline.L_ns),
    ]


def path_pair_charts(pairs: PairsOnPath, count: int, links: Links) -> list[Chart]:
    """What pairs of `count` ranks, and of nodes, have on the critical path."""
    ranks = PairAxis("rank", count)
    charts = [_latencies(pairs, ranks, "pairs"), _bytes(pairs, ranks, "pairs-bytes")]
    nodes, node_of_rank = links.nodes, links.node_of_rank
    if nodes is not None and node_of_rank is not None and nodes.size < ranks.count:
        side = PairAxis("node", int(nodes.size), tuple(nodes.tolist()))
        by_node = node_pairs(pairs, node_of_rank)
        charts += [
            _latencies(by_node, side, "node-pairs"),
            _bytes(by_node, side, "node-pairs-bytes"),
        ]
    return charts


def _latencies(pairs: PairsOnPath, side: PairAxis, name: str) -> Chart:
    total = float(pairs.lambda_L.sum())
    reading = "No message lies on the critical path."
    if total:
        top = int(np.argmax(pairs.lambda_L))
        reading = (
            f"The critical path uses {format_count(int(np.count_nonzero(pairs.lambda_L)))} of "
            f"{format_count(len(pairs))} pairs; {side.pair(pairs, top)} alone carries "
            f"{format_share(float(pairs.lambda_L[top]) / total)} of its latencies."
        )
    words = (name, f"Latencies by {side.word} pair", reading)
    return _sums(side, pairs, pairs.lambda_L, words, "latencies λ<sub>ij</sub>", "latencies")


def _bytes(pairs: PairsOnPath, side: PairAxis, name: str) -> Chart:
    total = float(pairs.lambda_G.sum())
    reading = "No bytes lie on the critical path."
    if total:
        top = int(np.argmax(pairs.lambda_G))
        reading = (
            f"{format_size(round(total))} lie on the critical path, "
            f"{format_share(float(pairs.lambda_G[top]) / total)} of them from "
            f"{side.pair(pairs, top)}."
        )
    words = (name, f"Bytes by {side.word} pair", reading)
    hover = "bytes of the critical path"
    return _sums(side, pairs, pairs.lambda_G, words, "bytes λ<sub>G,ij</sub>", hover)


def _sums(
    side: PairAxis,
    pairs: PairsOnPath,
    values: Floats,
    words: tuple[str, str, str],
    bar: str,
    hover: str,
) -> Chart:
    """What each pair adds up to, from 0 on."""
    sums = matrix(side, pairs.source, pairs.destination, values)
    top = max(1.0, float(np.nanmax(sums)))
    note = side.block_note("the sum")
    return heat_map(side, sums, words, bar, f"%{{z:,}} {hover}", note, zmin=0, zmax=top)


def matrix(
    side: PairAxis, source: Integers, destination: Integers, values: Floats, *, least: bool = False
) -> Floats:
    """Source × destination; NaN where no pair is. Blocks sum up, or take the least."""
    block = side.block
    rows = -(-side.count // block)
    cell = (source // block) * rows + destination // block
    flat = np.full(rows * rows, np.inf if least else 0.0)
    (np.minimum if least else np.add).at(flat, cell, values)
    used = np.zeros(rows * rows, dtype=bool)
    used[cell] = True
    flat[~used | ~np.isfinite(flat)] = np.nan
    return flat.reshape(rows, rows)


def heat_map(
    side: PairAxis,
    values: Floats,
    words: tuple[str, str, str],
    bar: str,
    hover: str,
    note: str,
    ends: tuple[str, str] = ("from", "to"),
    **options: Any,
) -> Chart:
    """A matrix; `bar` names the colours, `hover` is how a value reads, `ends` names the axes."""
    rows, labels = values.shape[0], side.labels()
    ticks = theme.rank_ticks(2 * rows) if isinstance(labels[0], int) else {"type": "category"}
    gap = 1 if rows <= _GAPS else 0
    trace = marks.heat_map(
        [[None if np.isnan(v) else float(f"{v:.6g}") for v in row] for row in values],
        x=labels,
        y=labels,
        unit=bar,
        hover=f"{side.word} %{{y}} → {side.word} %{{x}}<br>{hover}",
        xgap=gap,
        ygap=gap,
        **options,
    )
    trace["colorbar"] |= {"len": 0.9, **theme.NUMBERS}
    shared = {"showgrid": False, "constrain": "domain", **ticks}
    return marks.chart(
        *words,
        [trace],
        x=theme.axis(f"{ends[1]} {side.word}", **shared),
        y=theme.axis(f"{ends[0]} {side.word}", autorange="reversed", scaleanchor="x", **shared),
        height=_HEIGHT,
        note=note,
        margin={"l": 56, "r": 10, "t": 12, "b": 50},
    )


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
        f"Dark: little slack (in {unit.name}), the pair's tightest message matters. "
        + side.block_note("the least"),
        zmin=0,
        zmax=max(1.0, float(unit.of(top))),
        reversescale=True,
    )


def _slack_histogram(slack: Floats, latency: float) -> Chart:
    """How the slack of messages (ns) is distributed, on a logarithmic axis; `latency` is L."""
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
        "Slack of messages",
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
        height=_HEIGHT,
        note=orange
        + "The first bar also holds messages without slack, which are on a critical path.",
        bargap=0,
        showlegend=False,
    )


def _decades(low: float, high: float) -> dict[str, Any]:
    """One tick per decade, which half a page has room for."""
    exponents = range(int(np.ceil(np.log10(low))), int(np.floor(np.log10(high))) + 1)
    values = [10.0**e for e in exponents]
    return {
        "tickvals": values,
        "ticktext": [f"{value:,.12f}".rstrip("0").rstrip(".") for value in values],
    }
