"""Engine and linear program asked of a graph that no file holds."""

from collections.abc import Sequence
from dataclasses import dataclass

from latitude import Network, _core
from latitude.analysis.lp.answers import second_opinion
from latitude.analysis.lp.budget import Spending
from latitude.analysis.lp.highs import Highs
from latitude.files.provenance import Provenance, of_this_run
from latitude.results.assumptions import Assumptions
from latitude.results.lp import SecondOpinion


@dataclass(frozen=True)
class _Made:
    """A stand-in for the program of a graph."""

    ranks: int
    collectives: str = ""
    reduce_ns_per_byte: float = 0.0
    async_progress: bool = True
    costs: None = None


def asked_of_both(
    graph: _core.Graph,
    network: _core.Network,
    degradations: Sequence[float],
    spending: Spending | None = None,
) -> SecondOpinion:
    """Both answers; the result's facts about input and network are made up."""
    return second_opinion(
        graph,
        network,
        degradations,
        Highs,
        spending,
        provenance=Provenance(**of_this_run(), input="random", input_sha256="0" * 64),
        model=Assumptions.of(Network(), _Made(graph.ranks)),
    )
