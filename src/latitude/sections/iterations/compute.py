"""Finds iterations of a program from its ranks' MPI calls."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude._types import Booleans, Integers
from latitude.analysis.context import GraphContext, LeftOutError
from latitude.analysis.messages import whole
from latitude.analysis.section import Computed, SectionCost
from latitude.results.critical_path import WholePath
from latitude.sections.iterations.result import Iterations, IterationShares

_LEAST = 5
"""Least number of iterations; fewer may be chance."""
_ALIKE = 0.8
"""Least share of equal iterations, and of their calls, on each rank."""
_INSIDE = 0.5
"""Least share of a rank's calls that must be in iterations."""
_AS_GOOD = 0.05
"""Share of calls by which longer iterations must explain more than shorter ones to win."""
_CUTS = 24
"""Largest number of candidates for the number of iterations."""
_JUDGED = 32
"""Number of ranks on which each candidate is tried."""
_LOOKED_AT = 10_000
"""Largest number of compared iterations per rank; the rest is assumed to be equal."""
_SEVERAL = 16
"""Largest number of occurrences of a call in an iteration that begins with this call."""
_LOOPS = 16
"""Largest number of calls in the body of an inner loop, which may run any number of times."""
_SHORT = 1 << 16
"""Numbers below this limit have 16 bits."""
_ROWS = 2_000
"""Largest number of rows; with more iterations a row has several neighbouring iterations."""


def iterations_of(
    graph: _core.Graph, path: WholePath, where: Mapping[int, str]
) -> Iterations | None:
    """The iterations of a program, and the part of the critical path in each.

    A rank's iteration begins with the computation before an MPI call that occurs equally often in
    each iteration, and ends before the next iteration. All ranks on the path have equally many
    iterations.

    Args:
        graph: the program.
        path: its critical path.
        where: the name of the place in the source of each call site.

    Returns:
        None if the ranks' calls do not repeat, or no calls are recorded.
    """
    ranks = whole(np.unique(path.rank))
    calls = _Calls(graph, ranks)
    count = calls.repeats()
    cuts = [] if count is None else list(calls.cuts(count))
    if not cuts or len(cuts) < ranks.size:
        return None
    cuts, alike = calls.from_the_first_alike(cuts)
    code, site = graph.call_code, graph.call_site
    first = [int(cut.starts[0]) for cut in cuts]
    begins = Counter((graph.call_name[code[at]], where.get(int(site[at]))) for at in first)
    ((call, line), _), *_ = begins.most_common()
    return Iterations(
        count=cuts[0].starts.size,
        call=call,
        where=line,
        alike=alike,
        shares=_shares(path, _of_steps(graph, path, ranks, cuts), cuts[0].starts.size),
    )


@dataclass(frozen=True, slots=True)
class _Cut:
    """The iterations of a rank, as indices into the graph's calls."""

    starts: Integers
    end: int
    """End of the last iteration."""


@dataclass(frozen=True, slots=True)
class _Own:
    """A rank's calls by kind: function, place, communicator, and first partner."""

    begin: int
    """Index of the rank's first call."""
    kind: NDArray[np.uint16 | np.uint32]
    """(calls,) number of each call's kind, from 0."""
    order: NDArray[np.int32 | np.int64]
    """(calls,) calls ordered by kind, and by time within a kind."""
    times: Integers
    """(kinds,) number of occurrences of each kind."""

    @classmethod
    def of(cls, begin: int, kind: NDArray[np.uint32]) -> "_Own":
        """Orders the calls; `kind`, (calls,), has equal numbers for equal calls."""
        times = np.bincount(kind)
        if times.size <= _SHORT:  # NumPy sorts 16 bits by radix
            short = kind.astype(np.uint16)
            return cls(begin, short, np.argsort(short, kind="stable").astype(np.int32), times)
        return cls(begin, kind, np.argsort(kind, kind="stable"), times)

    def occurring(self, count: int, times: int) -> tuple[Integers, Integers]:
        """Kinds that occur `times` times in each of `count` iterations: their first and last calls.

        Both are (kinds, count), positions among the rank's calls.
        """
        often = np.flatnonzero(self.times == count * times)
        before = np.concatenate([[0], np.cumsum(self.times)[:-1]])[often]
        first = before[:, None] + times * np.arange(count)
        return whole(self.order[first]), whole(self.order[first + times - 1])

    def counts(self) -> Counter[int]:
        """For each possible number of iterations, the weight of the fitting kinds of calls.

        Kinds that occur once per iteration weigh more, because they are the more reliable sign.
        """
        found: Counter[int] = Counter()
        for times, kinds in Counter(self.times.tolist()).items():
            for several in range(1, _SEVERAL + 1):
                if times % several == 0 and times // several >= _LEAST:
                    found[times // several] += times * kinds // several
        return found

    def cut(self, count: int) -> _Cut | None:
        """A cut into `count` iterations; None if no call occurs equally often in each."""
        for times in range(1, _SEVERAL + 1):
            first, last = self.occurring(count, times)
            if not first.size:
                continue
            # Leaves out calls that occur as often, but before or after the loop.
            inside = first[:, 1] > np.median(first[:, 0])
            inside &= last[:, -2] < np.median(last[:, -1])
            if inside.any():
                starts = first[inside][first[inside, 0].argmin()]
                ends = last[inside][last[inside, -1].argmax()]
                return self._cut(self._begun(starts, ends, times), ends)
        return None

    def _begun(self, starts: Integers, ends: Integers, times: int) -> Integers:
        """Each iteration's start: `starts`, or an earlier call that occurs more often."""
        earliest, least = starts, np.append(-1, ends[:-1])
        for more in range(times + 1, _SEVERAL + 1):
            for at in self.occurring(starts.size, more)[0]:
                if at[0] < earliest[0] and np.all((at > least) & (at < starts)):
                    earliest = at
        return earliest

    def _cut(self, starts: Integers, ends: Integers) -> _Cut:
        """A cut whose last iteration has the median length after its last known call."""
        behind = int(np.median(np.maximum(starts[1:] - ends[:-1] - 1, 0)))
        end = min(int(ends[-1]) + 1 + behind, self.kind.size)
        return _Cut(self.begin + starts, self.begin + end)

    def alike(self, cut: _Cut) -> tuple[Booleans, Integers]:
        """Whether each iteration has the same calls as most others, and its number of calls.

        Only the first _LOOKED_AT iterations count, without the very last iteration, whose end is
        uncertain.
        """
        begins = cut.starts[: _LOOKED_AT + 1]
        kind = self.kind[begins[0] - self.begin : begins[-1] - self.begin].astype(np.int64)
        starts = begins[:-1] - begins[0]
        kept = _without_loops(kind, starts)
        begin = np.searchsorted(kept, starts)
        place = np.arange(kept.size) - np.repeat(begin, np.diff(np.append(begin, kept.size)))
        # Sums of random numbers for calls and their places in an iteration: equal sums mean equal
        # calls.
        drawn = np.random.default_rng(0).integers(1, 2**62, (2, self.times.size), dtype=np.uint64)
        mixed = drawn[0][kind[kept]] * (2 * place.astype(np.uint64) + 1) + drawn[1][kind[kept]]
        mixed ^= mixed >> np.uint64(29)
        _, which, times = np.unique(
            np.add.reduceat(mixed, begin), return_inverse=True, return_counts=True
        )
        return which == int(times.argmax()), np.diff(np.append(starts, kind.size))


class _Calls:
    """The calls of some ranks, and ways to cut them into iterations."""

    def __init__(self, graph: _core.Graph, ranks: Integers) -> None:
        edges = graph.call_begin()
        self._own = []
        for rank in ranks.tolist():
            begin, end = int(edges[rank]), int(edges[rank + 1])
            self._own.append(_Own.of(begin, graph.call_kinds(rank, begin, end)))

    def repeats(self) -> int | None:
        """The number of iterations; None if nothing repeats."""
        counts = [own.counts() for own in self._own]
        common = set(counts[0]).intersection(*counts[1:]) if counts else set()
        likely = sorted(common, key=lambda count: (-counts[0][count], -count))[:_CUTS]
        tried = [(*self._explained(count), count) for count in likely]
        most = max((share for share, _, _ in tried), default=0.0)
        good = [(begun, share, count) for share, begun, count in tried if share >= most - _AS_GOOD]
        return max(good)[-1] if most > 0 else None

    def cuts(self, count: int) -> list[_Cut]:
        """Cuts each rank into this number of iterations, if possible."""
        return [cut for own in self._own if (cut := own.cut(count)) is not None]

    def from_the_first_alike(self, cuts: list[_Cut]) -> tuple[list[_Cut], float]:
        """Iterations from the first one that equals most others, and the share of equal iterations.

        Equality on one rank suffices, because the first iteration may be a similar start-up.
        """
        pairs = zip(self._own, cuts, strict=True)
        alike = np.stack([own.alike(cut)[0] for own, cut in pairs])
        first = int(alike.any(axis=0).argmax())
        kept = [_Cut(cut.starts[first:], cut.end) for cut in cuts]
        return kept, float(alike[:, first:].mean())

    def _explained(self, count: int) -> tuple[float, int]:
        """The share of some ranks' calls in equal iterations; 0 if too few are equal.

        Also the number of iterations from the first equal one.
        """
        calls = explained = begun = 0
        for own in self._own[:: -(-len(self._own) // _JUDGED)]:
            cut = own.cut(count)
            if cut is None:
                return 0.0, 0
            alike, length = own.alike(cut)
            inside = int(length[alike].sum())
            enough = (
                np.count_nonzero(alike) >= _ALIKE * alike.size
                and inside >= _ALIKE * int(length.sum())
                and cut.end - int(cut.starts[0]) >= _INSIDE * own.kind.size
            )
            if not enough:
                return 0.0, 0
            begun = max(begun, count - int(alike.argmax()))
            calls += own.kind.size
            explained += inside + cut.end - int(cut.starts[length.size])
        return explained / calls, begun


def _without_loops(kind: Integers, starts: Integers) -> Integers:
    """Positions of the calls, without repetitions of up to _LOOPS calls inside iterations.

    Iterations' first calls are distinct, so that no repetition reaches into the next iteration.
    """
    kept = np.arange(kind.size)
    told = kind.copy()
    told[starts] = -1 - np.arange(starts.size)
    for length in range(1, min(_LOOPS + 1, told.size)):
        same = np.concatenate([[False], told[length:] == told[:-length], [False]])
        begin, end = np.flatnonzero(same[1:] & ~same[:-1]), np.flatnonzero(~same[1:] & same[:-1])
        again = (end - begin) // length * length
        if not again.any():
            continue
        change = np.zeros(told.size + 1, dtype=np.int64)
        np.add.at(change, begin + length, 1)
        np.add.at(change, begin + length + again, -1)
        stays = np.cumsum(change)[:-1] == 0
        kept, told = kept[stays], told[stays]
    return kept


def _of_steps(
    graph: _core.Graph, path: WholePath, ranks: Integers, cuts: list[_Cut]
) -> NDArray[np.int32]:
    """The iteration of each step of the path; 0 is before the first iteration.

    The number of iterations plus 1 means after the last iteration. Computation belongs to the next
    call.
    """
    count = cuts[0].starts.size
    starts = np.concatenate([cut.starts for cut in cuts])
    ends = np.array([cut.end for cut in cuts])
    origin_of = graph.origin
    of_step = np.empty(len(path), dtype=np.int32)
    after = count + 1
    for place in reversed(path.places()):
        origin = whole(origin_of[path.vertex[place]])
        rank = np.searchsorted(ranks, path.rank[place])
        number = np.searchsorted(starts, origin, side="right") - rank * count
        number[origin >= ends[rank]] = count + 1
        at = np.where(origin != _core.NO_ORIGIN, np.arange(origin.size), origin.size)
        following = np.minimum.accumulate(at[::-1])[::-1]
        of_step[place] = np.append(number, after)[following]
        after = of_step[place.start]
    return of_step


def _shares(path: WholePath, number: NDArray[np.int32], count: int) -> IterationShares:
    """The path by iteration; if there are many, several iterations share a row."""
    together = -(-count // _ROWS)
    first = np.concatenate([[0], np.arange(1, count + 1, together), [count + 1]])
    totals = np.zeros((5, first.size))
    for place, block in path.blocks():
        own = whole(number[place])
        row = np.where(own > count, -(-count // together) + 1, -(-own // together))
        parts = (
            block.end - block.start,
            block.calc,
            block.overhead,
            block.network,
            block.latencies,
        )
        for total, part in zip(totals, parts, strict=True):
            np.add.at(total, row, part)
    path_ns, calc, overhead, network, latencies = totals
    return IterationShares(
        first=first,
        last=np.append(first[1:] - 1, count + 1),
        path_ns=path_ns,
        calc_ns=calc,
        overhead_ns=overhead,
        network_ns=network,
        lambda_L=latencies,
    )


def _of_graph(context: GraphContext) -> Iterations | None:
    graph = context.model.graph
    lines = context.path.lines
    if lines.several and "thread" in lines.resource:
        raise LeftOutError("calls of several threads of a rank cannot be cut into iterations yet")
    return iterations_of(graph, context.path, context.where)


COMPUTED = Computed(_of_graph, SectionCost(sweeps=30, operation_bytes=24))
