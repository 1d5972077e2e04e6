"""What was measured of one pair of ranks, as quantiles with bootstrap replicates."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from latitude._core import InputError
from latitude.measure.results import BenchResults, Series, Values

REPLICATES = 400

Replicates = NDArray[np.float64]
"""A value, and then what it is in each of the bootstrap replicates: REPLICATES + 1 numbers."""


@dataclass(slots=True)
class Pair:
    """Two ranks; times in ns, by message size in bytes."""

    leader: int
    other: int
    inside: bool
    """Both run on one node."""
    eager: int
    """Largest message, of those tried, whose send did not wait for its receiver."""
    seconds: float
    rounds: int
    imprecise: int
    """Tests whose 95 % interval stayed wider than asked."""
    eager_nb: int
    """`eager` of MPI_Isend."""
    half: dict[int, Replicates] = field(default_factory=dict)
    """Half round trip: PRTT(1, 0, s) / 2."""
    send: dict[int, Replicates] = field(default_factory=dict)
    """o of a send."""
    receive: dict[int, Replicates] = field(default_factory=dict)
    """o of a receive whose message has arrived."""
    between: dict[int, Replicates] = field(default_factory=dict)
    """Time from message to message of a stream: (PRTT(n, 0, s) - PRTT(1, 0, s)) / (n - 1)."""
    delayed: dict[int, Replicates] = field(default_factory=dict)
    """o of a send once more: (PRTT(n, d, s) - PRTT(1, 0, s)) / (n - 1) - d."""


def pairs_of(results: BenchResults, quantile: float, seed: int) -> list[Pair]:
    """The pairs of a run. InputError when it holds none."""
    random = np.random.default_rng(seed)
    found = [_pair(series) for series in results.named("pair")]
    known = {(pair.leader, pair.other): pair for pair in found}
    for name in ("ping", "stream", "sends", "recvs"):  # the first is needed by the others
        for series in results.named(name):
            pair = known[series.number("a"), series.number("b")]
            _add(pair, series, quantile, random)
    if not found:
        raise InputError("no pair of ranks was measured; start two ranks or more")
    return found


def _pair(series: Series) -> Pair:
    eager, seconds, rounds, imprecise, eager_nb = series.values.tolist()
    return Pair(
        leader=series.number("a"),
        other=series.number("b"),
        inside=series.labels["inside"] == "1",
        eager=int(eager),
        seconds=seconds,
        rounds=int(rounds),
        imprecise=int(imprecise),
        eager_nb=int(eager_nb),
    )


def _add(pair: Pair, series: Series, quantile: float, random: np.random.Generator) -> None:
    size, messages = series.number("bytes"), series.number("messages")
    if series.name == "sends":
        values = series.values.reshape(-1, messages)
        pair.send[size] = replicates(values[:, :-1].ravel(), quantile, random)
        whole = replicates(values[:, -1], quantile, random)
        pair.delayed[size] = (whole - 2 * pair.half[size]) / (messages - 1)
        return
    found = replicates(series.values, quantile, random)
    if series.name == "ping":
        pair.half[size] = found
    elif series.name == "recvs":
        pair.receive[size] = found
    else:
        pair.between[size] = (found - 2 * pair.half[size]) / (messages - 1)


def replicates(values: Values, quantile: float, random: np.random.Generator) -> Replicates:
    """The quantile, and what it is in replicates of the Bayesian bootstrap (Rubin 1981).

    There the n values have weights of a flat Dirichlet distribution, so the value at which they
    first add up to q is the one of rank 1 + Binomial(n - 1, q).
    """
    ordered = np.sort(values)
    ranks = random.binomial(ordered.size - 1, quantile, REPLICATES)
    point = np.quantile(ordered, quantile)
    return np.concatenate([[point], ordered[ranks]])


def sizes(pair: Pair, kind: Mapping[int, Replicates]) -> Iterator[int]:
    """The sizes of one kind that the pair's eager protocol serves, ascending."""
    return (size for size in sorted(kind) if size <= pair.eager)
