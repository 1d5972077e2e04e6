"""Time of each rank by activity, and causes of waits, from the core's rows."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude._types import Floats, Integers
from latitude.analysis.context import GraphContext, PassesContext
from latitude.analysis.messages import rank_of_calls
from latitude.analysis.path import resources_of
from latitude.analysis.section import Computed, SectionCost
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.results.critical_path import WholePath
from latitude.sections.waits.result import (
    CallDelays,
    CallTimes,
    EachCall,
    RankDelays,
    RankTimes,
    Timeline,
    WaitDelays,
    Waits,
)
from latitude.units.quantities import format_share

_Key = tuple[Any, ...]
Look = tuple[float, float, int, int]
"""Start and end, ns, number of cells, and lines per row."""
_ROWS = 256
_CELLS = {64: 480, _ROWS: 240}
"""Cells by number of rows, so that pages stay small."""
_CLOSER = 24
"""The closer look shows at most one part in this many of the run."""
_MOVES = 100
"""Number of moves between ranks in the closer look, if moves were evenly spread; at most."""


def waits_of(
    core: _core.Waits,
    ranks: int,
    where: Mapping[int, str],
    each_call_of: _core.Graph | None = None,
    looks: Sequence[Look] = (),
) -> Waits:
    """All ranks' time, by activity and by cause of waits (docs/explanation/waits.md).

    Args:
        core: the core's results.
        ranks: number of ranks.
        where: name of the place in the source, for each call site.
        each_call_of: the program, if the core has found the times of each single call.
        looks: stretches of time for timelines, as requested from the core.
    """
    places = _places(core, where)
    between_ranks = _between_ranks(core, ranks)
    return Waits(
        by_rank=_by_rank(core),
        times=_times(core, places),
        unexplained_ns=core.unexplained_ns,
        unpaired_ns=core.unpaired_ns,
        **_delays(core, places),
        listed_delays=between_ranks.listed(),
        unlisted_delays=between_ranks.unlisted(),
        every_delay=between_ranks,
        each=None if each_call_of is None else _each_call(each_call_of, core, places),
        timelines=tuple(
            Timeline(begin_ns=begin, end_ns=end, lines_per_row=lines, ns=ns)
            for (begin, end, _, lines), ns in zip(looks, core.seen_ns, strict=True)
        ),
    )


def notices_of(waits: Waits) -> list[Notice]:
    """Warnings if some causes of waits are not known."""
    found = []
    if waits.unexplained_ns:
        share = format_share(waits.unexplained_ns / waits.waited_ns)
        found.append(
            kinds.WAITS_UNEXPLAINED(f"the delays behind {share} of all waits are not known")
        )
    if waits.unpaired_ns:
        share = format_share(waits.unpaired_ns / waits.waited_ns)
        found.append(
            kinds.DELAYS_UNPAIRED(
                f"chains of waiting ranks are very long: {share} of the delays are known by rank, "
                "call and line, but not by the rank that waits"
            )
        )
    return found


def looks_at(path: WholePath, lines: int) -> list[Look]:
    """The whole run, and the part with the longest network time on the critical path."""
    end = float(path.end[-1]) if path.end.size else 0.0
    if end <= 0:
        return []
    per_row = -(-lines // _ROWS)
    rows = -(-lines // per_row)
    cells = next(count for most, count in _CELLS.items() if rows <= most)
    moves = np.count_nonzero(np.asarray(path.network))
    length = end / max(_CLOSER, moves / _MOVES)
    closer = _most_network(path, end - length, length)
    return [(0.0, end, cells, per_row), (closer, closer + length, cells, per_row)]


def _most_network(path: WholePath, last: float, length: float) -> float:
    """Start of the stretch of this length, at or before `last` (ns), with most network time."""
    passed = np.zeros(len(path) + 1)
    np.cumsum(np.asarray(path.network), out=passed[1:])
    edges = np.empty_like(passed)
    edges[:1], edges[1:] = path.start[:1], path.end
    most, found = -np.inf, 0.0
    for place in path.places():
        begin = np.minimum(path.start[place], last)
        network = np.interp(begin + length, edges, passed) - np.interp(begin, edges, passed)
        best = network.argmax()
        if network[best] > most:
            most, found = network[best], float(begin[best])
    return found


def _each_call(graph: _core.Graph, core: _core.Waits, places: list[_Key]) -> EachCall:
    return EachCall(
        rank=rank_of_calls(graph),
        place=core.call_place.astype(np.int64),
        before_ns=core.call_before_ns,
        within_ns=core.call_within_ns,
        places=tuple((call, line) for call, line, *_ in places),
    )


def _by_rank(core: _core.Waits) -> RankTimes:
    def by_line(line: NDArray[np.uint32], ns: Floats) -> Floats:
        return np.bincount(line, weights=ns, minlength=core.line_rank.size).astype(np.float64)

    columns = {
        f"{name}_ns": by_line(core.spent_line, core.spent_ns * (core.spent_activity == code))
        for code, name in enumerate(core.activities)
    }
    columns |= {
        f"{name}_ns": by_line(core.wait_line, core.wait_ns * (core.wait_cause == code))
        for code, name in enumerate(core.causes)
    }
    return RankTimes(
        rank=core.line_rank.astype(np.int64),
        thread=core.line_number.astype(np.int64),
        resource=resources_of(core.line_kind),
        **columns,
        end_ns=np.sum(list(columns.values()), axis=0),
        direct_ns=by_line(core.delay_line, core.delay_direct_ns),
        indirect_ns=by_line(core.delay_line, core.delay_indirect_ns),
    )


def _between_ranks(core: _core.Waits, ranks: int) -> RankDelays:
    delaying = core.line_rank[core.line_delaying].astype(np.int64)
    waiting = core.line_rank[core.line_waiting].astype(np.int64)
    direct, indirect = core.line_direct_ns, core.line_indirect_ns
    if core.line_rank.size > ranks:
        pair, row = np.unique(delaying * ranks + waiting, return_inverse=True)
        delaying, waiting = pair // ranks, pair % ranks
        direct, indirect = (
            np.bincount(row, ns, pair.size).astype(np.float64) for ns in (direct, indirect)
        )
    return RankDelays(delaying=delaying, waiting=waiting, direct_ns=direct, indirect_ns=indirect)


def _lines(core: _core.Waits, line: NDArray[np.uint32]) -> Iterable[tuple[int, int]]:
    """Rank of each line, and the number of its thread, CPU or stream."""
    return zip(core.line_rank[line].tolist(), core.line_number[line].tolist(), strict=True)


def _places(core: _core.Waits, where: Mapping[int, str]) -> list[_Key]:
    """Call and line of each place in the core, and of the call that posted its operation."""
    names = dict(enumerate(_core.call_names()))
    columns = core.place_call, core.place_site, core.place_posted_call, core.place_posted_site
    return [
        (names.get(call), where.get(site), names.get(posted), where.get(posted_site))
        for call, site, posted, posted_site in zip(*(c.tolist() for c in columns), strict=True)
    ]


def _at(places: list[_Key], place: NDArray[np.uint32]) -> list[_Key]:
    return [places[i] for i in place.tolist()]


def _named(names: list[str], code: NDArray[np.uint8]) -> list[str]:
    return [names[i] for i in code.tolist()]


def _times(core: _core.Waits, places: list[_Key]) -> CallTimes:
    """Activities and waits by call. Sites on the same line count as one."""
    spent = zip(
        _lines(core, core.spent_line),
        _at(places, core.spent_place),
        _named(core.activities, core.spent_activity),
        strict=True,
    )
    waits = zip(
        _lines(core, core.wait_line),
        _at(places, core.wait_place),
        _named(core.causes, core.wait_cause),
        strict=True,
    )
    (rank, thread, call, where, posted, posted_where, what), (ns,) = _summed(
        ((*line, *place, what) for line, place, what in [*spent, *waits]),
        7,
        np.concatenate([core.spent_ns, core.wait_ns]),
    )
    return CallTimes(
        rank=_numbers(rank),
        thread=_numbers(thread),
        call=call,
        where=where,
        posted_call=posted,
        posted_where=posted_where,
        what=what,
        ns=ns,
    )


def _delays(core: _core.Waits, places: list[_Key]) -> dict[str, Any]:
    """Delays by call, and by the calls on both sides."""
    delayed = zip(_lines(core, core.delay_line), _at(places, core.delay_place), strict=True)
    doing = _named(core.activities, core.delay_activity)
    (rank, thread, call, where, posted, posted_where, what), (direct, indirect) = _summed(
        ((*line, *place, what) for (line, place), what in zip(delayed, doing, strict=True)),
        7,
        core.delay_direct_ns,
        core.delay_indirect_ns,
    )
    delays = WaitDelays(
        rank=_numbers(rank),
        thread=_numbers(thread),
        call=call,
        where=where,
        posted_call=posted,
        posted_where=posted_where,
        activity=what,
        direct_ns=direct,
        indirect_ns=indirect,
    )

    pairs = zip(_at(places, core.place_delaying), _at(places, core.place_waiting), strict=True)
    keys, (direct, indirect) = _summed(
        ((*one[:2], *other[:2]) for one, other in pairs),
        4,
        core.place_direct_ns,
        core.place_indirect_ns,
    )
    between = CallDelays(
        delaying_call=keys[0],
        delaying_where=keys[1],
        waiting_call=keys[2],
        waiting_where=keys[3],
        direct_ns=direct,
        indirect_ns=indirect,
    )
    return {"delays": delays, "between_calls": between}


def _summed(
    keys: Iterable[_Key], length: int, *columns: Floats
) -> tuple[list[tuple[Any, ...]], list[Floats]]:
    """Sums of rows with equal keys of this length; keys' columns are separate, in key order."""
    index: dict[_Key, int] = {}
    row = np.array([index.setdefault(key, len(index)) for key in keys], dtype=np.int64)
    found = list(index)
    order = sorted(range(len(found)), key=lambda i: tuple((x is not None, x) for x in found[i]))
    parts = list(zip(*(found[i] for i in order), strict=True)) or [()] * length
    sums = [np.bincount(row, weights=column, minlength=len(found)) for column in columns]
    return parts, [np.asarray(total, dtype=np.float64)[order] for total in sums]


def _numbers(ranks: tuple[int, ...]) -> Integers:
    return np.array(ranks, dtype=np.int64)


def _of_graph(context: GraphContext) -> Waits:
    ranks, each = context.program.ranks, context.each_call
    looks = looks_at(context.path, len(context.path.lines))
    core = context.model.waits(each, looks)
    graph = context.program.graph if each else None
    waits = waits_of(core, ranks, context.where, graph, looks)
    context.warnings += notices_of(waits)
    return waits


def _of_passes(context: PassesContext) -> Waits:
    waits = waits_of(context.path.waits, context.trace.ranks, context.where)
    context.warnings += notices_of(waits)
    return waits


COMPUTED = Computed(
    _of_graph, SectionCost(sweeps=20, operation_bytes=60), _of_passes, held="schedule"
)
