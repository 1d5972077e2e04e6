"""Pairs of ranks and nodes as matrices (λ_ij, λ_G,ij)."""

import numpy as np

from latitude._types import Floats
from latitude.model.links import Links
from latitude.render.charts.chart import Chart
from latitude.render.document import Beside, Part, Section
from latitude.render.documents.pair_charts import PairAxis, heat_map, matrix
from latitude.render.shown import Shown, Text
from latitude.render.tables import table
from latitude.results.analysis import Analysis
from latitude.sections.pairs.result import LISTED, PairsOnPath
from latitude.units.quantities import counted, format_count, format_share, format_size

BESIDE = 64
"""Largest number of ranks for two heat maps side by side."""
_ROWS = 25
"""Largest number of pairs of ranks in the page's table."""
_BRIEF = 5
"""Largest number of pairs of ranks on the terminal."""


def _parts(analysis: Analysis) -> list[Part]:
    """Pairs on the path; for a streamed trace also a table."""
    if analysis.pairs is None or not len(analysis.pairs.all):
        return []
    pairs, ranks = analysis.pairs.all, analysis.trace.ranks
    charts = path_pair_charts(pairs, ranks, analysis.links)
    shown: list[Part] = [Beside(charts)] if ranks <= BESIDE else [*charts]
    return shown if analysis.streamed is None else [*shown, *_table(pairs)]


def _table(pairs: PairsOnPath) -> list[Section]:
    """The pairs with most latencies on the path, if there are any."""
    order = np.lexsort((-pairs.lambda_G, -pairs.lambda_L))
    top = order[pairs.lambda_L[order] > 0][:_ROWS]
    if not top.size:
        return []
    shown = table(
        pairs.at(top),
        ("ranks", lambda row: f"{row.source} → {row.destination}"),
        "messages",
        "bytes",
        "lambda_L",
        "lambda_G",
        brief=_BRIEF,
    )
    listed = counted(min(len(pairs), LISTED), "pair")
    return [
        Section(
            "Pairs of ranks on the critical path",
            [shown],
            note=f"Those with most latencies; pairs.csv has {listed}.",
        )
    ]


def path_pair_charts(pairs: PairsOnPath, count: int, links: Links | None) -> list[Chart]:
    """The shares of pairs of `count` ranks, and of nodes, in the critical path."""
    ranks = PairAxis("rank", count)
    charts = [_latencies(pairs, ranks, "pairs"), _bytes(pairs, ranks, "pairs-bytes")]
    nodes = None if links is None else links.nodes
    node_of_rank = None if links is None else links.node_of_rank
    if nodes is not None and node_of_rank is not None and nodes.size < ranks.count:
        side = PairAxis("node", int(nodes.size), tuple(nodes.tolist()))
        by_node = pairs.by_node(node_of_rank)
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
    """The sums of each pair, on a scale from 0."""
    sums = matrix(side, pairs.source, pairs.destination, values)
    top = max(1.0, float(np.nanmax(sums)))
    note = side.block_note("the sum")
    return heat_map(side, sums, words, bar, f"%{{z:,}} {hover}", note, zmin=0, zmax=top)


def _csv(analysis: Analysis) -> Text | None:
    return None if analysis.pairs is None else analysis.pairs.listed.to_csv


SHOWN = Shown(_parts, {"pairs.csv": _csv})
