"""Rank pairs: latencies on the critical path (λ_ij) and slack."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from latitude.report import theme
from latitude.report.chart import Chart, Figure, Unit, unit_for
from latitude.results import Analysis, Pairs
from latitude.units import format_count, format_share, format_time

HEIGHT = 400
_MAX_CELLS = 256
"""Ranks a side; more are drawn in blocks."""

Matrix = NDArray[np.float64]


def _blocks(ranks: int) -> int:
    """Ranks in a cell's side."""
    return -(-ranks // _MAX_CELLS)


def _matrix(analysis: Analysis, values: NDArray[np.float64], *, least: bool) -> Matrix:
    """Source × destination; NaN where no message goes. Blocks sum up, or take the least."""
    block = _blocks(analysis.trace.ranks)
    side = -(-analysis.trace.ranks // block)
    pairs = analysis.pairs
    cell = (pairs.source // block) * side + pairs.destination // block
    flat = np.full(side * side, np.inf if least else 0.0)
    if least:
        np.minimum.at(flat, cell, values)
        flat[~np.isfinite(flat)] = np.nan
    else:
        np.add.at(flat, cell, values)
        used = np.zeros(side * side, dtype=bool)
        used[cell] = True
        flat[~used] = np.nan
    return flat.reshape(side, side)


def _cells(matrix: Matrix) -> list[list[float | None]]:
    return [[None if np.isnan(v) else float(f"{v:.6g}") for v in row] for row in matrix]


def _heat_map(matrix: Matrix, block: int, bar: str, hover: str, **options: Any) -> Figure:
    side = matrix.shape[0]
    ticks = theme.rank_ticks(2 * side)  # half as wide as the other charts
    names = [f"{i}" if block == 1 else f"{i * block}–{(i + 1) * block - 1}" for i in range(side)]
    return {
        "data": [
            {
                "type": "heatmap",
                "x": list(range(side)) if block == 1 else names,
                "y": list(range(side)) if block == 1 else names,
                "z": _cells(matrix),
                "colorscale": theme.SCALE,
                "hoverongaps": False,
                "xgap": 1 if side <= 64 else 0,  # noqa: PLR2004 - gaps would hide small cells
                "ygap": 1 if side <= 64 else 0,  # noqa: PLR2004
                "colorbar": {
                    "title": {"text": bar, "side": "right"},
                    "thickness": 12,
                    "len": 0.9,
                    **theme.NUMBERS,
                },
                "hovertemplate": f"rank %{{y}} → rank %{{x}}<br>{hover}<extra></extra>",
                **options,
            }
        ],
        "layout": theme.layout(
            HEIGHT,
            margin={"l": 56, "r": 10, "t": 12, "b": 50},
            xaxis=theme.axis("to rank", showgrid=False, constrain="domain", **ticks),
            yaxis=theme.axis(
                "from rank",
                showgrid=False,
                autorange="reversed",
                scaleanchor="x",
                constrain="domain",
                **ticks,
            ),
        ),
    }


def lambda_chart(analysis: Analysis) -> Chart:
    """λ_ij: where the critical path goes from rank to rank."""
    pairs = analysis.pairs
    block = _blocks(analysis.trace.ranks)
    matrix = _matrix(analysis, pairs.lambda_L, least=False)
    return Chart(
        id="pairs",
        title="Latencies by rank pair",
        reading=_lambda_reading(pairs),
        figure=_heat_map(
            matrix,
            block,
            "latencies λ<sub>ij</sub>",
            "%{z:,} latencies",
            zmin=0,
            zmax=max(1.0, float(np.nanmax(matrix))),
        ),
        height=HEIGHT,
        note=_block_note(block, "the sum"),
    )


def slack_chart(analysis: Analysis) -> Chart:
    """Extra latency the tightest message of each pair can take alone."""
    pairs = analysis.pairs
    finite = pairs.least_slack_ns[np.isfinite(pairs.least_slack_ns)]
    unit = unit_for(float(finite.max(initial=0.0)))
    block = _blocks(analysis.trace.ranks)
    matrix = _matrix(analysis, unit.of(pairs.least_slack_ns), least=True)
    return Chart(
        id="slack",
        title="Slack by rank pair",
        reading=_slack_reading(analysis),
        figure=_heat_map(
            matrix,
            block,
            f"least slack ({unit.name})",
            f"%{{z:.4~g}} {unit.name}",
            zmin=0,
            zmax=max(1.0, float(unit.of(finite.max(initial=0.0)))),
            reversescale=True,
        ),
        height=HEIGHT,
        note=_slack_note(block, unit),
    )


def _lambda_reading(pairs: Pairs) -> str:
    total = float(pairs.lambda_L.sum())
    if not total:
        return "No message lies on the critical path."
    order = np.argsort(-pairs.lambda_L)
    top = order[0]
    crossed = int(np.count_nonzero(pairs.lambda_L))
    return (
        f"The critical path uses {format_count(crossed)} of {format_count(pairs.source.size)} "
        f"pairs; rank {pairs.source[top]} → {pairs.destination[top]} alone carries "
        f"{format_share(float(pairs.lambda_L[top]) / total)} of its latencies."
    )


def _slack_reading(analysis: Analysis) -> str:
    pairs = analysis.pairs
    if not pairs.source.size:
        return "The program sends no messages."
    tight = int(np.sum(pairs.least_slack_ns < analysis.baseline.L_ns))
    median = format_time(float(np.median(pairs.least_slack_ns)), 3)
    return (
        f"On {format_count(tight)} of {format_count(pairs.source.size)} pairs a single message "
        f"that arrives L = {format_time(analysis.baseline.L_ns)} later delays the program; the "
        f"median pair takes {median}."
    )


def _slack_note(block: int, unit: Unit) -> str:
    text = f"Dark: little slack (in {unit.name}), the pair's tightest message matters. "
    return text + _block_note(block, "the least")


def _block_note(block: int, how: str) -> str:
    return f"Each cell is {how} of {block} × {block} ranks." if block > 1 else ""
