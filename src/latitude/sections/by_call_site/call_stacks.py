"""A chart of the call paths that lead to MPI calls with latencies on the critical path."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from latitude.render.charts import marks, theme
from latitude.render.charts.chart import Chart
from latitude.results.analysis import Analysis
from latitude.sections.by_call_site.result import CallSiteShare
from latitude.units.quantities import format_count, format_share

_LEAST = 0.002
"""Least share of all latencies; narrower blocks would not be visible."""
_ROW = 26
"""Height of a row, pixels."""
_NAMED = 3
"""Largest number of functions in the sentence."""
_COLOURS = ("#f2c879", "#f7dcae", "#f0b28a", "#f5cdb4")
"""Colours; neighbouring blocks differ, and text is readable on all four."""


@dataclass(slots=True)
class _Block:
    """A function, and the functions that it calls on the way to MPI."""

    frame: str
    latencies: float = 0.0
    called: "dict[str, _Block]" = field(default_factory=dict)

    def add(self, frames: tuple[str, ...], latencies: float) -> None:
        """Adds a call path from here, the outermost function first."""
        self.latencies += latencies
        if frames:
            first, *rest = frames
            self.called.setdefault(first, _Block(first)).add(tuple(rest), latencies)

    def laid(self, left: float = 0.0, depth: int = 0) -> Iterator[tuple[float, int, "_Block"]]:
        """Start and depth of this block and of all blocks inside; the broadest is leftmost."""
        yield left, depth, self
        for block in sorted(self.called.values(), key=lambda block: -block.latencies):
            yield from block.laid(left, depth + 1)
            left += block.latencies


def call_stacks(analysis: Analysis) -> list[Chart]:
    """One chart if callers were recorded and latencies are on the path, else none."""
    root = _tree(analysis.by_call_site)
    if not root.called or not root.latencies:
        return []
    laid = [
        (left, depth, block)
        for left, depth, block in root.laid()
        if depth and block.latencies >= _LEAST * root.latencies
    ]
    deepest = max(depth for _, depth, _ in laid)
    bars = marks.bars(
        [block.latencies for *_, block in laid],
        [depth for _, depth, _ in laid],
        across=True,
        width=0.94,
        colour=[_colour(block.frame, depth) for _, depth, block in laid],
        base=[left for left, *_ in laid],
        text=[marks.text(block.frame) for *_, block in laid],
        textposition="inside",
        insidetextanchor="start",
        textangle=0,
        constraintext="none",
        cliponaxis=True,
        textfont={"color": theme.INK, "size": 12},
        customdata=[format_share(block.latencies / root.latencies) for *_, block in laid],
        hover="%{text}<br>λ = %{x:,.6~g}, %{customdata} of all",
    )
    return [
        marks.chart(
            "stacks",
            "Call paths to the latencies",
            _reading(root),
            [bars],
            x=theme.axis("λ<sub>L</sub> (latencies)", range=[0, root.latencies], showgrid=False),
            y=theme.axis(
                "",
                showticklabels=False,
                ticks="",
                showgrid=False,
                fixedrange=True,
                range=[deepest + 0.5, 0.5],
            ),
            height=90 + _ROW * deepest,
            note="Each block is a function, as broad as the latencies on the critical path whose "
            "messages are received beneath it; below it is what it calls, down to MPI. Drag across "
            "to look closer, double-click to go back.",
            margin={"l": 16, "r": 16, "t": 12, "b": 48},
            uniformtext={"minsize": 11, "mode": "hide"},
            bargap=0,
            showlegend=False,
        )
    ]


def _tree(shares: list[CallSiteShare]) -> _Block:
    root = _Block("")
    for share in shares:
        for path in share.paths:
            if path.lambda_L:
                root.add(path.frames[::-1], path.lambda_L)
    return root


def _colour(frame: str, depth: int) -> str:
    return _COLOURS[(sum(frame.encode()) + depth) % len(_COLOURS)]


def _reading(root: _Block) -> str:
    """A sentence about the call path that takes the function with most latencies at each level."""
    block, names = root, []
    while block.called:
        block = max(block.called.values(), key=lambda each: each.latencies)
        names.append(block.frame)
    share = format_share(block.latencies / root.latencies)
    way = " > ".join(names[-_NAMED:])
    return (
        f"{share} of the {format_count(root.latencies)} latencies with a call path come by "
        f"{'… > ' if len(names) > _NAMED else ''}{way}."
    )
