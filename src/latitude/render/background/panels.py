"""Mean latency against b, by collective and size ([B] Fig. 4)."""

from typing import Any

from latitude.cluster.advice.question import kind_name
from latitude.cluster.correlate import SIGNIFICANT, Panel, Study
from latitude.render.background.grid import Grid, placed
from latitude.render.charts import theme
from latitude.render.charts.chart import Chart, listed, unit_for
from latitude.units.quantities import format_share

_COLUMNS = 4
_ROW = 170


def panels_chart(study: Study) -> Chart:
    """One small scatter plot for each collective and size, with the least-squares line."""
    panels = study.panels
    columns = min(_COLUMNS, max(1, len({panel.bytes for panel in panels})))
    grid = Grid(-(-len(panels) // columns), columns, _ROW, margin_top=52)
    layout: dict[str, Any] = {}
    traces: list[dict[str, Any]] = []
    for index, panel in enumerate(panels):
        unit = unit_for(float(panel.mean_ns.max()))
        layout |= grid.axes(
            index,
            theme.axis("b (%)" if index + columns >= len(panels) else "", rangemode="tozero"),
            theme.axis("", range=[0, 1.08 * float(unit.of(panel.mean_ns).max()) or 1], nticks=5),
        )
        points, line = _traces(panel, index, unit.of)
        traces.append({**points, "hovertemplate": _hover(unit.name)})
        traces += [line] if line else []
    figure = {
        "data": traces,
        "layout": theme.layout(
            grid.height,
            margin={"l": 44, "r": 12, "t": grid.margin_top, "b": grid.margin_bottom},
            showlegend=False,
            annotations=[grid.title(i, _title(panel)) for i, panel in enumerate(panels)],
            **layout,
        ),
    }
    note = (
        "Each point is the mean latency of one run. r: Pearson, ρ: Spearman; bold when its p-value "
        f"stays under {SIGNIFICANT:g} after Benjamini and Hochberg's correction for "
        f"{2 * sum(panel.pearson is not None for panel in panels)} tests. Intervals are in the "
        "table below. Runs taken close together share the network's state and are not independent: "
        "intervals are then too narrow."
    )
    return Chart(
        "panels", "Latency against background traffic", reading(study), figure, grid.height, note
    )


def _traces(panel: Panel, index: int, of: Any) -> tuple[dict[str, Any], dict[str, Any] | None]:
    points = {
        "type": "scatter",
        "mode": "markers",
        "x": listed(100 * panel.b, 5),
        "y": listed(of(panel.mean_ns), 6),
        "marker": {"size": 5, "color": theme.OVERHEAD, "opacity": 0.6},
        **placed(index),
    }
    if panel.slope_ns is None or panel.at_zero_ns is None:
        return points, None
    ends = [float(panel.b.min()), float(panel.b.max())]
    line = {
        "type": "scatter",
        "mode": "lines",
        "x": listed([100 * end for end in ends], 5),
        "y": listed(of([panel.at_zero_ns + panel.slope_ns * end for end in ends]), 6),
        "line": {"color": theme.LATENCY, "width": 2},
        "hoverinfo": "skip",
        **placed(index),
    }
    return points, line


def _hover(unit: str) -> str:
    return f"b %{{x:.3~g}}%<br>mean %{{y:.4~g}} {unit}<extra></extra>"


def _title(panel: Panel) -> list[str]:
    unit = unit_for(float(panel.mean_ns.max())).name
    name = f"<b>{kind_name(panel.collective, panel.bytes)}</b> ({unit})"
    if panel.pearson is None or panel.spearman is None:
        return [name, panel.reason]
    linear = _bold(f"r = {coefficient(panel.pearson.r)}", panel.pearson_adjusted)
    monotone = _bold(f"ρ = {coefficient(panel.spearman.r)}", panel.spearman_adjusted)
    return [name, f"{linear}, {monotone}"]


def coefficient(r: float) -> str:
    """With a minus sign that is as wide as a plus."""
    return f"{r:.2f}".replace("-", "−")


def _bold(text: str, p: float | None) -> str:
    return f"<b>{text}</b>" if p is not None and p < SIGNIFICANT else text


def reading(study: Study) -> str:
    """What the panels show together."""
    known = [p for p in study.panels if p.spearman and p.spearman_adjusted is not None]
    if not known:
        return "No collective and size has enough runs at different b for a correlation."
    risen = [p for p in known if p.spearman and p.spearman.r > 0 and _sure(p)]
    if not risen:
        return "In no collective and size does latency follow b beyond chance."
    top = max(risen, key=lambda p: p.spearman.r if p.spearman else 0.0)
    gain = ""
    if top.slope_ns and top.at_zero_ns and top.at_zero_ns > 0:
        gain = (
            f"; there 10 points of b cost {format_share(0.1 * top.slope_ns / top.at_zero_ns)} "
            "of the latency at b = 0"
        )
    rho = top.spearman.r if top.spearman else 0.0
    return (
        f"Latency rises with b in {len(risen)} of {len(known)} combinations, most clearly in "
        f"{kind_name(top.collective, top.bytes)} (ρ = {coefficient(rho)}){gain}."
    )


def _sure(panel: Panel) -> bool:
    return panel.spearman_adjusted is not None and panel.spearman_adjusted < SIGNIFICANT
