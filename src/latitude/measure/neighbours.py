"""The program `nodes`: latencies between all pairs, and what disturbs the cores."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from latitude._core import InputError
from latitude._types import Floats
from latitude.measure.results import Results
from latitude.statistics.higher_members import Member, Pairs, higher_members

PROGRAM = "nodes"
_TRIPS = 4


@dataclass(frozen=True, slots=True)
class Noise:
    """How equal quanta of work went on the core of one rank."""

    rank: int
    least_ns: float
    """The quickest quantum: the core's speed."""
    mean_ns: float
    p99_ns: float
    most_ns: float

    @property
    def lost(self) -> float:
        """Share of the time that went elsewhere."""
        return 1 - self.least_ns / self.mean_ns


@dataclass(frozen=True, slots=True)
class Nodes:
    """The check."""

    each_rank: bool
    """Whether ranks stand for nodes."""
    names: dict[int, str]
    """Rank → host, or host and rank."""
    members: tuple[Member, ...]
    """Numbered by rank; the higher ones first."""
    noise: tuple[Noise, ...]
    passes: int
    crowded: bool

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "by": "rank" if self.each_rank else "node",
            "passes": self.passes,
            "crowded": self.crowded,
            "higher": [self.names[m.number] for m in self.members if m.higher],
            "members": [
                {
                    "name": self.names[member.number],
                    "rank": member.number,
                    "latency_ns": member.own,
                    "neighbours_ns": member.others,
                    "excess": member.excess,
                    "p": member.p,
                    "higher": member.higher,
                }
                for member in self.members
            ],
            "noise": [
                {
                    "rank": noise.rank,
                    "name": self.names.get(noise.rank),
                    "least_ns": noise.least_ns,
                    "mean_ns": noise.mean_ns,
                    "p99_ns": noise.p99_ns,
                    "max_ns": noise.most_ns,
                    "lost": noise.lost,
                }
                for noise in self.noise
            ],
        }


def nodes_of(results: Results, *, each_rank: bool, effect: float) -> Nodes:
    """What the program wrote, tested. InputError when too few passes were made."""
    pairs, passes = _pairs(results)
    if not pairs:
        raise InputError("stopped before all pairs had met; give it more time")
    names = {
        place.rank: f"rank {place.rank} on {place.host}" if each_rank else place.host
        for place in results.places()
    }
    return Nodes(
        each_rank=each_rank,
        names=names,
        members=higher_members(pairs, effect=effect),
        noise=tuple(
            _noise(series.number("rank"), series.values)
            for series in results.named("quanta")
            if len(series.values)
        ),
        passes=passes,
        crowded=results.text("crowded") == "1",
    )


def _pairs(results: Results) -> tuple[Pairs, int]:
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


def _noise(rank: int, took_ns: Floats) -> Noise:
    return Noise(
        rank,
        float(took_ns.min()),
        float(took_ns.mean()),
        float(np.quantile(took_ns, 0.99)),
        float(took_ns.max()),
    )
