"""Where each rank's time goes, and who made whom wait: the core's rows, by names."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latitude import _core
from latitude._types import Floats, Integers
from latitude.results.waits import (
    CallDelays,
    CallTimes,
    EachCall,
    RankDelays,
    RankTimes,
    WaitDelays,
    Waits,
)

_Key = tuple[Any, ...]


def waits_of(model: _core.Model, where: Mapping[int, str]) -> Waits:
    """All ranks' time on the network (docs/waits.md).

    Args:
        model: the program on the network.
        where: the name of the place in the source of each call site.
    """
    core = model.waits()
    return Waits(
        by_rank=_by_rank(core, model.graph.ranks),
        **_by_call(core, _places(model.graph, core, where)),
        between_ranks=RankDelays(
            delaying=core.rank_delaying.astype(np.int64),
            waiting=core.rank_waiting.astype(np.int64),
            direct_ns=core.rank_direct_ns,
            indirect_ns=core.rank_indirect_ns,
        ),
        each=_each_call(model.graph, core, where),
    )


def _each_call(graph: _core.Graph, core: _core.Waits, where: Mapping[int, str]) -> EachCall:
    calls = graph.call_code.size
    known = np.flatnonzero(graph.origin != _core.NO_ORIGIN)
    rank = np.zeros(calls, dtype=np.int64)
    rank[graph.origin[known]] = np.searchsorted(graph.rank_begin, known, side="right") - 1
    names, lines = graph.call_name, {_core.NO_SITE: None, **where}
    both = np.stack([graph.call_code.astype(np.int64), graph.call_site.astype(np.int64)])
    found, place = np.unique(both, axis=1, return_inverse=True)
    return EachCall(
        rank=np.maximum.accumulate(rank),  # calls are in the order of ranks; some made no vertex
        place=place.reshape(-1).astype(np.int64),
        before_ns=core.call_before_ns,
        within_ns=core.call_within_ns,
        places=tuple((names[code], lines.get(site)) for code, site in found.T.tolist()),
    )


def _by_rank(core: _core.Waits, ranks: int) -> RankTimes:
    def total(rank: NDArray[np.uint32], ns: Floats) -> Floats:
        return np.bincount(rank, weights=ns, minlength=ranks).astype(np.float64)

    columns = {
        f"{name}_ns": total(core.spent_rank, core.spent_ns * (core.spent_activity == code))
        for code, name in enumerate(core.activities)
    }
    columns |= {
        f"{name}_ns": total(core.wait_rank, core.wait_ns * (core.wait_cause == code))
        for code, name in enumerate(core.causes)
    }
    return RankTimes(
        rank=np.arange(ranks),
        **columns,
        end_ns=np.sum(list(columns.values()), axis=0),
        direct_ns=total(core.delay_rank, core.delay_direct_ns),
        indirect_ns=total(core.delay_rank, core.delay_indirect_ns),
    )


def _places(graph: _core.Graph, core: _core.Waits, where: Mapping[int, str]) -> list[_Key]:
    """Call and line of each of the core's places."""
    names = dict(enumerate(graph.call_name))
    codes, sites = core.place_call.tolist(), core.place_site.tolist()
    return [(names.get(c), where.get(s)) for c, s in zip(codes, sites, strict=True)]


def _by_call(core: _core.Waits, places: list[_Key]) -> dict[str, Any]:
    """What is by call. Sites on the same line are one."""

    def at(place: NDArray[np.uint32]) -> list[_Key]:
        return [places[i] for i in place.tolist()]

    def named(names: list[str], code: NDArray[np.uint8]) -> list[str]:
        return [names[i] for i in code.tolist()]

    spent = zip(
        core.spent_rank.tolist(),
        at(core.spent_place),
        named(core.activities, core.spent_activity),
        strict=True,
    )
    waits = zip(
        core.wait_rank.tolist(),
        at(core.wait_place),
        named(core.causes, core.wait_cause),
        strict=True,
    )
    (rank, call, line, what), (ns,) = _summed(
        ((rank, *place, what) for rank, place, what in [*spent, *waits]),
        4,
        np.concatenate([core.spent_ns, core.wait_ns]),
    )
    times = CallTimes(rank=_numbers(rank), call=call, where=line, what=what, ns=ns)

    delayed = zip(core.delay_rank.tolist(), at(core.delay_place), strict=True)
    doing = named(core.activities, core.delay_activity)
    (rank, call, line, what), (direct, indirect) = _summed(
        ((rank, *place, what) for (rank, place), what in zip(delayed, doing, strict=True)),
        4,
        core.delay_direct_ns,
        core.delay_indirect_ns,
    )
    delays = WaitDelays(
        rank=_numbers(rank),
        call=call,
        where=line,
        activity=what,
        direct_ns=direct,
        indirect_ns=indirect,
    )

    pairs = zip(at(core.place_delaying), at(core.place_waiting), strict=True)
    keys, (direct, indirect) = _summed(
        ((*one, *other) for one, other in pairs), 4, core.place_direct_ns, core.place_indirect_ns
    )
    between = CallDelays(
        delaying_call=keys[0],
        delaying_where=keys[1],
        waiting_call=keys[2],
        waiting_where=keys[3],
        direct_ns=direct,
        indirect_ns=indirect,
    )
    return {"times": times, "delays": delays, "between_calls": between}


def _summed(
    keys: Iterable[_Key], length: int, *columns: Floats
) -> tuple[list[tuple[Any, ...]], list[Floats]]:
    """Rows of equal keys of that length as one, the keys' columns apart, in the keys' order."""
    index: dict[_Key, int] = {}
    row = np.array([index.setdefault(key, len(index)) for key in keys], dtype=np.int64)
    found = list(index)
    order = sorted(range(len(found)), key=lambda i: tuple((x is not None, x) for x in found[i]))
    parts = list(zip(*(found[i] for i in order), strict=True)) or [()] * length
    sums = [np.bincount(row, weights=column, minlength=len(found)) for column in columns]
    return parts, [np.asarray(total, dtype=np.float64)[order] for total in sums]


def _numbers(ranks: tuple[int, ...]) -> Integers:
    return np.array(ranks, dtype=np.int64)
