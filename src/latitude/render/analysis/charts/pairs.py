"""Pairs of ranks or nodes: latencies (λ_ij) and bytes (λ_G,ij) on the critical path."""

import numpy as np

from latitude.analysis.pairs import Floats, Pairs, node_pairs
from latitude.model.links import Links
from latitude.render.analysis.charts.heatmap import HEIGHT, Side, block_note, heat_map, matrix
from latitude.render.charts.chart import Chart, Figure
from latitude.results.analysis import Analysis
from latitude.units.quantities import format_count, format_share, format_size


def pair_charts(analysis: Analysis) -> list[Chart]:
    """By rank pair; and by node pair, where ranks share nodes."""
    pairs, ranks = analysis.pairs, Side("rank", analysis.trace.ranks)
    charts = [_latencies(pairs, ranks, "pairs"), _bytes(pairs, ranks, "pairs-bytes")]
    links = analysis.links
    if (nodes := _shared_nodes(links, analysis.trace.ranks)) and links.node_of_rank is not None:
        by_node = node_pairs(pairs, links.node_of_rank)
        charts += [
            _latencies(by_node, nodes, "node-pairs"),
            _bytes(by_node, nodes, "node-pairs-bytes"),
        ]
    return charts


def _shared_nodes(links: Links, ranks: int) -> Side | None:
    """The nodes, where there are fewer than ranks."""
    if links.nodes is None or links.nodes.size == ranks:
        return None
    return Side("node", int(links.nodes.size), tuple(links.nodes.tolist()))


def _latencies(pairs: Pairs, side: Side, name: str) -> Chart:
    return Chart(
        id=name,
        title=f"Latencies by {side.word} pair",
        reading=_latency_reading(pairs, side),
        figure=_sums(pairs, side, pairs.lambda_L, "latencies λ<sub>ij</sub>", "%{z:,} latencies"),
        height=HEIGHT,
        note=block_note(side, "the sum"),
    )


def _bytes(pairs: Pairs, side: Side, name: str) -> Chart:
    return Chart(
        id=name,
        title=f"Bytes by {side.word} pair",
        reading=_bytes_reading(pairs, side),
        figure=_sums(
            *(pairs, side, pairs.lambda_G),
            *("bytes λ<sub>G,ij</sub>", "%{z:,} bytes of the critical path"),
        ),
        height=HEIGHT,
        note=block_note(side, "the sum"),
    )


def _sums(pairs: Pairs, side: Side, values: Floats, bar: str, hover: str) -> Figure:
    """Heat map of what each pair adds up to, from 0 on."""
    sums = matrix(side, pairs, values, least=False)
    return heat_map(side, sums, bar, hover, zmin=0, zmax=max(1.0, float(np.nanmax(sums))))


def _latency_reading(pairs: Pairs, side: Side) -> str:
    total = float(pairs.lambda_L.sum())
    if not total:
        return "No message lies on the critical path."
    top = int(np.argmax(pairs.lambda_L))
    crossed = int(np.count_nonzero(pairs.lambda_L))
    return (
        f"The critical path uses {format_count(crossed)} of {format_count(pairs.source.size)} "
        f"pairs; {_pair(pairs, side, top)} alone carries "
        f"{format_share(float(pairs.lambda_L[top]) / total)} of its latencies."
    )


def _bytes_reading(pairs: Pairs, side: Side) -> str:
    total = float(pairs.lambda_G.sum())
    if not total:
        return "No bytes lie on the critical path."
    top = int(np.argmax(pairs.lambda_G))
    return (
        f"{format_size(round(total))} lie on the critical path, "
        f"{format_share(float(pairs.lambda_G[top]) / total)} of them from "
        f"{_pair(pairs, side, top)}."
    )


def _pair(pairs: Pairs, side: Side, index: int) -> str:
    ends = int(pairs.source[index]), int(pairs.destination[index])
    numbers = ends if side.numbers is None else tuple(side.numbers[end] for end in ends)
    return f"{side.word} {numbers[0]} → {numbers[1]}"
