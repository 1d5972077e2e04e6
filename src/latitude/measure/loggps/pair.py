"""The measurements of one pair of ranks, as quantiles with bootstrap replicates."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from latitude._core import InputError
from latitude.measure.loggps.replicates import (
    Counts,
    Replicates,
    quantiles,
    start_weights,
    together,
)
from latitude.measure.results import BenchResults, Series, Values


@dataclass(slots=True)
class Pair:
    """Measurements of two ranks; times in ns, by message size in bytes."""

    leader: int
    other: int
    inside: bool
    """Whether both ranks run on one node."""
    eager: int
    """Largest tried message whose MPI_Send did not wait for its receiver, bytes."""
    seconds: float
    """Duration of all starts together, s; `rounds` also counts all starts."""
    rounds: int
    imprecise: int
    """Number of tests, over all starts, whose 95 % interval stayed wider than requested."""
    eager_isend: int
    """Largest tried message whose MPI_Isend did not wait for its receiver, bytes."""
    eager_start: int
    """Largest tried message whose MPI_Start did not wait for its receiver, bytes."""
    one_S: bool = True
    """Whether all starts found the same eager limits."""
    smallest: tuple[float, ...] = ()
    """Half round trip of the smallest message in each start, ns."""
    half: dict[int, Replicates] = field(default_factory=dict)
    """Half round trip: PRTT(1, 0, s) / 2."""
    send: dict[int, Replicates] = field(default_factory=dict)
    """o of a send, ns."""
    receive: dict[int, Replicates] = field(default_factory=dict)
    """o of a receive whose message has arrived, ns."""
    between: dict[int, Replicates] = field(default_factory=dict)
    """Time between messages of a stream: (PRTT(n, 0, s) - PRTT(1, 0, s)) / (n - 1)."""
    held: dict[int, Replicates] = field(default_factory=dict)
    """Duration of a rendezvous send whose receiver already waits, ns."""
    delayed: dict[int, Replicates] = field(default_factory=dict)
    """o of a send by another formula: (PRTT(n, d, s) - PRTT(1, 0, s)) / (n - 1) - d."""


_PING, _STREAM, _RECEIVES, _SENDS, _WHOLE = "ping", "stream", "recvs", "sends", "whole"
_HELD = "held"
_Test = tuple[str, int]
"""Kind of a test, and bytes of its messages."""


@dataclass(slots=True)
class _OfStart:
    """Measurements of one pair in one start of the program."""

    seconds: float
    rounds: int
    imprecise: int
    eager: tuple[int, int, int]
    """Eager limits of MPI_Send, MPI_Isend and MPI_Start."""
    tests: dict[_Test, Replicates] = field(default_factory=dict)
    messages: dict[_Test, int] = field(default_factory=dict)


def pairs_of(starts: Sequence[BenchResults], quantile: float, seed: int) -> list[Pair]:
    """The pairs that were measured in all of these starts. InputError: there is none."""
    random = np.random.default_rng(seed)
    weights = start_weights(len(starts), random)
    found = [_pairs_of_start(results, quantile, random) for results in starts]
    known = [key for key in found[0] if all(key in each for each in found)]
    if not known:
        raise InputError(
            "no pair of ranks was measured"
            + (" in every start" if found[0] else "; start two ranks or more")
        )
    return [_joined(key, [each[key] for each in found], weights) for key in known]


_Key = tuple[int, int, bool]
"""Leading rank, other rank, and whether they run on one node."""


def _pairs_of_start(
    results: BenchResults, quantile: float, random: np.random.Generator
) -> dict[_Key, _OfStart]:
    found: dict[_Key, _OfStart] = {}
    by_ranks: dict[tuple[int, int], _OfStart] = {}
    for series in results.named("pair"):
        a, b = series.number("a"), series.number("b")
        seconds, rounds, imprecise, *eager = series.values.tolist()
        of_send, of_isend, of_start = map(int, eager)
        pair = _OfStart(seconds, int(rounds), int(imprecise), (of_send, of_isend, of_start))
        found[a, b, series.labels["inside"] == "1"] = by_ranks[a, b] = pair
    rounds_of = {
        (*_ranks(series), series.labels["of"], series.number("bytes")): series.values.astype(int)
        for series in results.named("rounds")
    }
    for name in (_PING, _STREAM, _SENDS, _RECEIVES, _HELD):
        for series in results.named(name):
            pair = by_ranks[_ranks(series)]
            of = rounds_of[(*_ranks(series), name, series.number("bytes"))]
            for test, values, counts in _timed(series, of):
                pair.tests[test] = quantiles(values, counts, quantile, random)
                pair.messages[test] = series.number("messages")
    return found


def _ranks(series: Series) -> tuple[int, int]:
    return series.number("a"), series.number("b")


def _timed(series: Series, counts: Counts) -> Iterator[tuple[_Test, Values, Counts]]:
    """The values of a series, with their numbers per round."""
    size, messages = series.number("bytes"), series.number("messages")
    if series.name != _SENDS:
        yield (series.name, size), series.values, counts
        return
    values = series.values.reshape(-1, messages)
    times = counts // messages
    yield (_SENDS, size), values[:, :-1].ravel(), times * (messages - 1)
    yield (_WHOLE, size), values[:, -1], times


def _joined(key: _Key, starts: Sequence[_OfStart], weights: Replicates) -> Pair:
    """One pair from all starts, with the tests that every start has made."""
    leader, other, inside = key
    limits = [each.eager for each in starts]
    of_send, of_isend, of_start = map(most_frequent, zip(*limits, strict=True))
    tests = [test for test in starts[0].tests if all(test in each.tests for each in starts)]
    least = min(size for name, size in tests if name == _PING)
    pair = Pair(
        leader,
        other,
        inside,
        eager=of_send,
        seconds=sum(each.seconds for each in starts),
        rounds=sum(each.rounds for each in starts),
        imprecise=sum(each.imprecise for each in starts),
        eager_isend=of_isend,
        eager_start=of_start,
        one_S=len(set(limits)) == 1,
        smallest=tuple(float(each.tests[_PING, least][0]) for each in starts),
    )
    found = {test: together([each.tests[test] for each in starts], weights) for test in tests}
    simple = {_PING: pair.half, _SENDS: pair.send, _RECEIVES: pair.receive, _HELD: pair.held}
    for (name, size), values in found.items():
        if name in simple:
            simple[name][size] = values
    for (name, size), values in found.items():
        if name in (_STREAM, _WHOLE):
            kind = pair.between if name == _STREAM else pair.delayed
            others = starts[0].messages[name, size] - 1
            kind[size] = (values - 2 * pair.half[size]) / others
    return pair


def most_frequent(values: Iterable[int]) -> int:
    """The most frequent value; among several, the least."""
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], value))


def sizes(pair: Pair, kind: Mapping[int, Replicates]) -> Iterator[int]:
    """The sizes of one kind of test that the pair sends eagerly, ascending."""
    return (size for size in sorted(kind) if size <= pair.eager)
