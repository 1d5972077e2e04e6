"""The program `nodes`: latencies between all pairs, and disturbances of the cores."""

import numpy as np

from latitude._core import InputError
from latitude._types import Floats
from latitude.files.provenance import made_now
from latitude.measure.results import BenchResults
from latitude.results.measurement import CoreNoise, NodeCheck, NodeLatency
from latitude.statistics.higher_members import Pairs, higher_members

PROGRAM = "nodes"
_TRIPS = 4


def nodes_of(results: BenchResults, *, each_rank: bool, effect: float) -> NodeCheck:
    """Tests the program's results. InputError: there are too few passes.

    Args:
        results: results of the program.
        each_rank: compares ranks instead of nodes; a node is represented by its first rank.
        effect: least share by which a named node must be slower.
    """
    pairs, passes = _pairs(results)
    if not pairs:
        raise InputError("stopped before all pairs had met; give it more time")
    names = {
        place.rank: f"rank {place.rank} on {place.host}" if each_rank else place.host
        for place in results.places()
    }
    members = tuple(
        NodeLatency(
            name=names[member.number],
            rank=member.number,
            latency_ns=member.own,
            neighbours_ns=member.others,
            excess=member.excess,
            p=member.p,
            higher=member.higher,
        )
        for member in higher_members(pairs, effect=effect)
    )
    noise = (
        _noise(series.number("rank"), names, series.values)
        for series in results.named("quanta")
        if len(series.values)
    )
    return NodeCheck(
        provenance=made_now(),
        mpi=results.text("mpi"),
        by="rank" if each_rank else "node",
        passes=passes,
        crowded=results.text("crowded") == "1",
        higher=tuple(member.name for member in members if member.higher),
        members=members,
        noise=tuple(noise),
    )


def _pairs(results: BenchResults) -> tuple[Pairs, int]:
    found: dict[tuple[int, int], dict[int, float]] = {}
    for series in results.named("trips"):
        rank = series.number("rank")
        for pass_, partner, median, _least in np.reshape(series.values, (-1, _TRIPS)):
            pair = (min(rank, int(partner)), max(rank, int(partner)))
            found.setdefault(pair, {})[int(pass_)] = float(median)
    passes = min((len(values) for values in found.values()), default=0)
    return {
        pair: np.array([values[number] for number in range(passes)])
        for pair, values in sorted(found.items())
    }, passes


def _noise(rank: int, names: dict[int, str], took_ns: Floats) -> CoreNoise:
    least, mean = float(took_ns.min()), float(took_ns.mean())
    return CoreNoise(
        rank=rank,
        name=names.get(rank),
        least_ns=least,
        mean_ns=mean,
        p99_ns=float(np.quantile(took_ns, 0.99)),
        max_ns=float(took_ns.max()),
        lost=1 - least / mean,
    )
