"""A map of nodes, switches and cables, with their loads and the critical path."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from latitude._types import Floats, Integers
from latitude.render.charts import marks, theme
from latitude.render.charts.chart import Chart, Layer, Trace
from latitude.render.shown import Shown, Text
from latitude.results.analysis import Analysis
from latitude.sections.link_loads.result import LinkLoads
from latitude.units.quantities import counted, format_count, format_share, format_size

_MOST_DRAWN = 3_000
"""Largest number of drawn cables, because more would be indistinguishable. Cables of the critical
path come first.
"""
_WIDTHS = 5
_WIDEST = 7.0
_UPPER = 0.2
"""Height above which nodes have their number on top."""
_QUIET = "#c3ccd5"
_RANKS = 8
"""Largest number of ranks of a node in the text under the mouse."""
_NAMED = 40
"""Largest number of nodes that are shown with numbers."""


def network_map(analysis: Analysis) -> list[Chart]:
    """The map; empty if the cables of messages are not known."""
    loads = analysis.link_loads
    if loads is None or not len(loads):
        return []
    drawn = np.lexsort((-loads.bytes, -loads.lambda_L))[:_MOST_DRAWN]
    plan = _Plan.of(loads, drawn)
    critical, most = loads.lambda_L[drawn] > 0, _share(loads.bytes[drawn])
    ways = [
        (
            "Latencies of the critical path",
            [
                *_lines(plan, ~critical, np.zeros(drawn.size), _QUIET, "other cables in use"),
                *_lines(
                    plan,
                    critical,
                    _share(loads.lambda_L[drawn]),
                    theme.LATENCY,
                    "on the critical path",
                ),
            ],
        ),
        ("Bytes of all messages", _lines(plan, most >= 0, most, theme.OVERHEAD, "bytes")),
    ]
    traces = [{**trace, "visible": way == 0} for way, (_, own) in enumerate(ways) for trace in own]
    owner = [way for way, (_, own) in enumerate(ways) for _ in own]
    always = [_middles(plan, loads, drawn), *_places(plan, analysis)]
    chosen = [
        Layer(label, [*(way == which for which in owner), *[True] * len(always)])
        for way, (label, _) in enumerate(ways)
    ]
    hidden = {"showgrid": False, "showticklabels": False, "ticks": "", "showline": False}
    note = (
        "Broader lines carry more."
        + ("A square is a node, a circle a switch. " if plan.switches else "A square is a node. ")
        + _routes(analysis)
        + (
            f" Of {format_count(len(loads))} cables in use {format_count(drawn.size)} are drawn."
            if drawn.size < len(loads)
            else ""
        )
        + " links.csv has all."
    )
    return [
        marks.chart(
            "map",
            "Map of nodes and links",
            _reading(analysis, loads),
            [*traces, *always],
            x=theme.axis("", **hidden),
            y=theme.axis("", **hidden, **({"scaleanchor": "x"} if plan.round else {})),
            height=480 if plan.round else 360,
            note=note,
            layers=chosen,
            margin={"l": 16, "r": 16, "t": 40, "b": 16},
            hovermode="closest",
        )
    ]


def _share(values: Floats) -> Floats:
    """Share of the largest load."""
    return np.divide(values, values.max(initial=0.0) or 1.0)


@dataclass(frozen=True, slots=True)
class _Plan:
    """Positions on the map."""

    names: Sequence[str]
    x: Floats
    """(names,) horizontal position."""
    y: Floats
    one: Integers
    """(cables,) index of one end into names."""
    other: Integers
    round: bool
    """Whether the map is a circle instead of tiers."""
    switches: int

    @classmethod
    def of(cls, loads: LinkLoads, drawn: Integers) -> "_Plan":
        """The plan of these cables: tiers if some switches have no nodes, otherwise a circle."""
        one = [loads.one_end[cable] for cable in drawn]
        other = [loads.other_end[cable] for cable in drawn]
        names = sorted({*one, *other}, key=_in_order)
        index = {name: i for i, name in enumerate(names)}
        ends = np.array([[index[a], index[b]] for a, b in zip(one, other, strict=True)]).T
        tier = _tiers(names, ends)
        tiers = bool(tier.max(initial=0) > 1)
        x, y = _stacked(names, ends, tier) if tiers else _circle(names, ends, tier)
        switches = int(np.count_nonzero(tier))
        return cls(names, x, y, ends[0], ends[1], not tiers, switches)


def _in_order(name: str) -> tuple[str, int]:
    kind, number = name.split()
    return kind, int(number)


def _tiers(names: Sequence[str], ends: Integers) -> Integers:
    """Number of cables from the nearest node; 0 for nodes."""
    tier = np.array([0 if name.startswith("node") else len(names) for name in names])
    while True:
        before = tier.copy()
        np.minimum.at(tier, ends[0], tier[ends[1]] + 1)
        np.minimum.at(tier, ends[1], tier[ends[0]] + 1)
        if np.array_equal(before, tier):
            return tier


def _stacked(names: Sequence[str], ends: Integers, tier: Integers) -> tuple[Floats, Floats]:
    """Nodes at the bottom in the order of their numbers, below the tiers of switches."""
    x = np.zeros(len(names))
    for level in range(int(tier.max()) + 1):
        own = np.flatnonzero(tier == level)
        if level:
            below = defaultdict(list)
            for a, b in [*ends.T.tolist(), *ends[::-1].T.tolist()]:
                if tier[a] == level and tier[b] == level - 1:
                    below[a].append(x[b])
            middle = np.array([np.mean(below[each]) for each in own.tolist()])
            own = own[np.lexsort((own, middle))]
        x[own] = (np.arange(own.size) + 0.5) / own.size
    return x, tier.astype(np.float64)


def _circle(names: Sequence[str], ends: Integers, tier: Integers) -> tuple[Floats, Floats]:
    """Switches in a circle with their nodes around them, or nodes alone."""
    inner = np.flatnonzero(tier == tier.max())
    place = dict(zip(inner.tolist(), range(inner.size), strict=True))
    angle, radius = np.zeros(len(names)), np.zeros(len(names))
    angle[inner] = np.arange(inner.size) / inner.size
    radius[inner] = 1.0 if inner.size > 1 else 0.0
    hosted = defaultdict(list)
    for a, b in ends.T.tolist():
        if tier[a] != tier[b]:
            node, switch = (a, b) if tier[a] < tier[b] else (b, a)
            hosted[switch].append(node)
    for switch, nodes in hosted.items():
        share = (np.arange(len(nodes)) + 0.5) / len(nodes) - 0.5
        angle[nodes] = (place[switch] + (0.8 if inner.size > 1 else 1.0) * share) / inner.size
        radius[nodes] = 1.35
    turn = 2 * np.pi * (0.25 - angle)
    return radius * np.cos(turn), radius * np.sin(turn)


def _lines(plan: _Plan, chosen: np.ndarray, share: Floats, colour: str, name: str) -> list[Trace]:
    """Cables as lines with a few widths."""
    traces: list[Trace] = []
    width = np.minimum((share * _WIDTHS).astype(np.int64), _WIDTHS - 1)
    for step in range(_WIDTHS):
        cables = np.flatnonzero(chosen & (width == step))
        if not cables.size:
            continue
        trace = marks.line(
            [],
            [],
            name=name,
            colour=colour,
            width=1 + (_WIDEST - 1) * step / (_WIDTHS - 1),
            legendgroup=name,
            showlegend=not traces,
            hoverinfo="skip",
        )
        for axis, places in (("x", plan.x), ("y", plan.y)):
            two = np.stack([places[plan.one[cables]], places[plan.other[cables]]], axis=1)
            trace[axis] = [end for a, b in two.round(4).tolist() for end in (a, b, None)]
        traces.append(trace)
    return traces


def _middles(plan: _Plan, loads: LinkLoads, drawn: Integers) -> Trace:
    """Text under the mouse at the middle of each cable."""
    text = [
        f"{loads.one_end[cable]} – {loads.other_end[cable]}<br>λ = "
        f"{format_count(round(float(loads.lambda_L[cable]), 2))}<br>"
        f"{format_size(round(float(loads.bytes[cable])))} in "
        f"{counted(round(float(loads.messages[cable])), 'message')}"
        for cable in drawn.tolist()
    ]
    return marks.points(
        (plan.x[plan.one] + plan.x[plan.other]) / 2,
        (plan.y[plan.one] + plan.y[plan.other]) / 2,
        size=9,
        text=text,
        hover="%{text}",
        opacity=0,
        showlegend=False,
    )


def _places(plan: _Plan, analysis: Analysis) -> list[Trace]:
    """Nodes with their ranks, and switches."""
    traces = []
    for kind, symbol, colour in (
        ("node", "square", theme.INK),
        ("switch", "circle", theme.COMPUTATION),
    ):
        own = [i for i, name in enumerate(plan.names) if name.startswith(kind)]
        if not own:
            continue
        named = kind == "node" and len(own) <= _NAMED
        trace = marks.points(
            plan.x[own],
            plan.y[own],
            colour=colour,
            size=9 if len(own) <= _NAMED else 5,
            symbol=symbol,
            text=[plan.names[i].split()[1] for i in own],
            customdata=[_about(plan.names[i], analysis) for i in own],
            hover="%{customdata}",
            showlegend=False,
        )
        if named:
            above = ["top" if y > _UPPER else "bottom" for y in plan.y[own].tolist()]
            trace |= {"mode": "markers+text", "textposition": [f"{a} center" for a in above]}
        traces.append(trace)
    return traces


def _about(name: str, analysis: Analysis) -> str:
    kind, number = name.split()
    links = analysis.links
    if kind != "node" or links is None or links.nodes is None or links.node_of_rank is None:
        return name
    ranks = np.flatnonzero(links.nodes[links.node_of_rank] == int(number))
    shown = ", ".join(map(str, ranks[:_RANKS].tolist())) + (", …" if ranks.size > _RANKS else "")
    return f"{name}<br>rank{'' if ranks.size == 1 else 's'} {shown}"


def _reading(analysis: Analysis, loads: LinkLoads) -> str:
    """A sentence about the cable that the critical path crosses most often."""
    if not loads.lambda_L.any():
        return "The critical path crosses no link between nodes."
    top = int(loads.lambda_L.argmax())
    critical = int(np.count_nonzero(loads.lambda_L))
    total = analysis.baseline.lambda_L or 0.0
    share = float(loads.lambda_L[top]) / total if total else 0.0
    return (
        f"The critical path crosses {format_count(critical)} of {counted(len(loads), 'link')} in "
        f"use; {format_share(min(1.0, share))} of its latencies cross that of "
        f"{loads.one_end[top]} and {loads.other_end[top]}."
    )


def _routes(analysis: Analysis) -> str:
    if "l_wire" not in analysis.model.parameters:
        return "No topology is given: a line joins each two nodes that exchange messages."
    return (
        "Messages take minimal routes; if several next switches are equally near, each takes an "
        "equal part."
    )


def _csv(analysis: Analysis) -> Text | None:
    return None if analysis.link_loads is None else analysis.link_loads.to_csv


SHOWN = Shown(network_map, {"links.csv": _csv})
