"""o and O from a trace: the durations of calls that had nothing to wait for.

docs/internals/overheads.md explains which calls count, and why. Times are ns.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude._types import Floats
from latitude.files.progress import Progress, Silent
from latitude.model.network import Network
from latitude.model.overheads import CallCost, TracedOverheads
from latitude.model.replicated_overheads import Replicated
from latitude.statistics.conventions import PREDICTED_CONFIDENCE
from latitude.trace.load import load_as_recorded, read
from latitude.trace.recorded_run import read_run
from latitude.trace.recording import Recording
from latitude.trace.synthetic import SYNTHETIC_MPI
from latitude.units.quantities import counted, format_share

_LEAST_CALLS = 30
"""Fewest calls for a median."""
LEAST_SHARE = 0.05
"""Least share of calls that waited for nothing, counted by the ends of messages that they serve."""
_SENDS = ("send", "exchange")
_RECEIVES = ("receive", "complete", "exchange")
_REPLICATES = 200
_REPLICATES_SEED = 17
_WIDE = 4
"""Least ratio of the largest to the smallest size for a cost per byte. The program's largest
message may be this many times larger than the largest size with a known cost."""
_CURE = "give --o TIME, or --network FILE with one that was measured"

_Line = tuple[Floats, Floats]
"""Costs of the first byte, and of each further byte: the value, then that of each replicate."""


def traced_overheads(
    network: Network,
    path: Path,
    *,
    base_ns: float = 0.0,
    fixed: Collection[str] = (),
    assume: Sequence[str] = (),
    threads: int = 0,
    progress: Progress | None = None,
    **options: str | bool,
) -> Network:
    """The network with o from a trace, and with O if possible.

    Args:
        network: L, o, G and O give the longest travel time of messages; S and S_isend decide which
            messages are eager. If L and G were measured with another o, they shrink by the growth
            of o and O (`Replicated.on`).
        path: path of the trace, as in `latitude.load`.
        base_ns: additional latency of every message of the traced run.
        fixed: parameters that stay unchanged.
        assume: as in `latitude.load`.
        threads: threads to read with; 0 means one per core.
        progress: display of the progress.
        options: options of the trace's format, as in `latitude.load`.

    Raises:
        InputError: the trace holds no calls, or its times of calls are not their costs, or too few
            calls waited for nothing.
    """
    progress = progress or Silent()
    how: dict[str, Any] = {"threads": threads, "assume": assume, "progress": progress, **options}
    trace = trace_of_calls(read(path, **how), "o", _CURE, **how)
    progress.stage("Finding overheads")
    first, each = travel(network.placed_as(path), trace.ranks)
    found = trace.overheads(first + base_ns, each, *network.eager_limits, threads=threads)
    return _estimate(path, found).on(network, fixed)


def trace_of_calls(recording: Recording, what: str, cure: str, **how: Any) -> _core.Trace:
    """Reads the trace again, with times of calls that can be compared between ranks.

    Args:
        recording: the trace, as it was read.
        what: name of the request in error messages, `o` for example.
        cure: the remedy that error messages suggest.
        how: as in `latitude.read`.

    Raises:
        InputError: the trace holds no calls, or its times of calls are not their CPU costs.
    """
    reason = untold(recording)
    if reason is not None:
        raise InputError(f"{what}: {reason}; {cure}")
    return load_as_recorded(recording.path, **how)


def untold(recording: Recording) -> str | None:
    """The reason why a trace does not tell the CPU costs of its calls; None if it does."""
    path, trace = recording.path, recording.trace
    if trace is None:
        return f"{path} has no MPI calls with times"
    if any(warning.code == "cpu-clock" for warning in trace.warnings):
        return (
            f"in {path} ranks shared cores, and calls hold waits for a core; trace with no more "
            "ranks than cores"
        )
    runs = read_run(path) if path.is_dir() else []
    if runs and runs[0].meta.get("mpi") == SYNTHETIC_MPI:
        return f"{path} is a synthesized trace, whose calls never ran"
    return None


def travel(network: Network, ranks: int) -> tuple[float, float]:
    """Longest travel time of a message of one byte, and the extra time per further byte.

    If o was chosen, half a round trip, L + 2 o, counts, because a send may return before its
    message leaves.
    """
    classes = network.links(ranks).classes
    ends = 2 if "o" in network.given else 0
    first = max(link.L + ends * link.o for link in classes)
    return first, max(link.G + link.O for link in classes)


@dataclass(frozen=True, slots=True, eq=False)
class _Cell:
    """Calls of one kind and size, with their costs in every replicate."""

    ends: int
    calls: int
    bytes: float
    cost: Floats
    """Median cost, then the median in each replicate."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Calls of one kind, with their costs, for all sizes."""

    service: str
    ends: int
    line: _Line | None
    """Cost by size; None if too few calls waited for nothing."""
    by_bytes: bool
    told: float
    """Number of message ends served by calls that waited for nothing."""


class _Bootstrap:
    """Medians of many draws of the blocks of calls; all cells share the draws."""

    def __init__(self, costs: Iterable[_core.CallCosts]) -> None:
        blocks = [each.block for each in costs if each.block.size]
        self._blocks = np.unique(np.concatenate(blocks)) if blocks else np.empty(0, np.uint32)
        weights = np.random.default_rng(_REPLICATES_SEED).exponential(
            size=(_REPLICATES, self._blocks.size)
        )
        self._weights = np.vstack([np.ones(self._blocks.size), weights])

    def medians(self, costs: Sequence[_core.CallCosts]) -> Floats:
        """Medians of the calls' durations per end: over all ends, then in each replicate."""
        ns = np.concatenate([each.ns for each in costs])
        order = np.argsort(ns, kind="stable")
        share = np.concatenate([each.share for each in costs])[order]
        block = np.concatenate([each.block for each in costs])[order]
        at = np.searchsorted(self._blocks, block)
        return np.array([median(ns[order], share * weight[at]) for weight in self._weights])


def median(ascending: Floats, weights: Floats) -> float:
    """The least value up to which half of the total weight lies."""
    up_to = np.cumsum(weights)
    return float(ascending[np.searchsorted(up_to, up_to[-1] / 2)])


def _estimate(path: Path, found: _core.Overheads) -> Replicated:
    bootstrap = _Bootstrap(found.costs)
    kinds: dict[tuple[str, str], list[_core.CallCosts]] = defaultdict(list)
    for each in found.costs:
        kinds[each.service, each.call].append(each)
    rows: list[CallCost] = []
    groups = []
    for (service, _), costs in kinds.items():
        cells = [_cell(each, bootstrap) for each in costs]
        rows += [_row(each, cell) for each, cell in zip(costs, cells, strict=True)]
        told = [each for each in cells if each is not None]
        groups.append(_group(service, costs, told, found.largest, bootstrap))
    each_end = found.rendezvous / 2
    sends = _of_sends(groups) if _told(groups, _SENDS, each_end) else None
    receives = _of_receives(groups) if _told(groups, _RECEIVES, each_end) else None
    known = [end for end in (sends, receives) if end is not None]
    if not known:
        raise InputError(f"o: {path} does not show the cost of calls: {_why(found)}; {_CURE}")
    o, O = (np.mean(parts, axis=0) for parts in zip(*known, strict=True))
    by_bytes = any(group.by_bytes for group in groups)
    low, high = _interval(o)
    return Replicated(
        found=TracedOverheads(
            o_ns=float(o[0]),
            low_ns=low,
            high_ns=high,
            O_ns_per_byte=float(O[0]) if by_bytes else None,
            send_ns=None if sends is None else float(sends[0][0]),
            receive_ns=None if receives is None else float(receives[0][0]),
            waited=found.waited,
            rendezvous=found.rendezvous,
            to_itself=found.to_itself,
            unknown=found.unknown,
            eager_bytes=min(found.eager_blocking, found.eager_nonblocking),
            one_clock=found.one_clock,
            costs=rows,
        ),
        o_ns=o[1:],
        O_ns_per_byte=O[1:] if by_bytes else None,
    )


def _told(groups: Sequence[_Group], services: Sequence[str], rendezvous: float) -> bool:
    """Whether the calls that waited for nothing are enough to represent the other calls."""
    ends = rendezvous + sum(group.ends for group in groups if group.service in services)
    told = sum(group.told for group in groups if group.service in services)
    return told >= LEAST_SHARE * ends


def ends_told(costs: _core.CallCosts) -> float:
    """Approximate number of message ends that calls of a kind served without waiting."""
    return costs.calls * float(costs.share.mean()) if costs.calls else 0.0


def _why(found: _core.Overheads) -> str:
    """The reason in words why no cost is known."""
    calls = counted(sum(each.calls for each in found.costs), "call")
    receives = counted(found.waited, "receive")
    parts = [
        f"{calls} that waited for nothing, where {_LEAST_CALLS} of a kind are needed",
        f"which serve less than {format_share(LEAST_SHARE)} of the messages at either end",
        f"{receives} that may have waited" if found.waited else "",
        f"{found.rendezvous:,} ends of rendezvous" if found.rendezvous else "",
        f"{found.to_itself:,} of messages to oneself" if found.to_itself else "",
    ]
    return ", ".join(part for part in parts if part)


def _cell(costs: _core.CallCosts, bootstrap: _Bootstrap) -> _Cell | None:
    """The calls' cell; None if there are too few calls."""
    if costs.calls < _LEAST_CALLS:
        return None
    order = np.argsort(costs.bytes, kind="stable")
    middle = median(costs.bytes[order], costs.share[order].astype(np.float64))
    return _Cell(costs.ends, costs.calls, middle, bootstrap.medians([costs]))


def _row(costs: _core.CallCosts, cell: _Cell | None) -> CallCost:
    low, high = (None, None) if cell is None else _interval(cell.cost)
    most = 1 << costs.log2
    return CallCost(
        call=costs.call,
        service=costs.service,
        from_bytes=0 if most == 1 else most // 2 + 1,
        to_bytes=most,
        ends=costs.ends,
        calls=costs.calls,
        o_ns=None if cell is None else float(cell.cost[0]),
        low_ns=low,
        high_ns=high,
    )


def _interval(cost: Floats) -> tuple[float, float]:
    tail = (1 - PREDICTED_CONFIDENCE) / 2
    low, high = np.quantile(cost[1:], [tail, 1 - tail])
    return min(float(low), float(cost[0])), max(float(high), float(cost[0]))


def _group(
    service: str,
    costs: Sequence[_core.CallCosts],
    cells: Sequence[_Cell],
    largest: int,
    bootstrap: _Bootstrap,
) -> _Group:
    ends, told = sum(each.ends for each in costs), sum(map(ends_told, costs))
    if not cells:
        if sum(each.calls for each in costs) < _LEAST_CALLS:
            return _Group(service, ends, None, by_bytes=False, told=told)
        together = bootstrap.medians(costs)
        return _Group(service, ends, (together, np.zeros_like(together)), by_bytes=False, told=told)
    line = _line(cells, largest)
    if line is not None:
        return _Group(service, ends, line, by_bytes=True, told=told)
    weights = [cell.ends for cell in cells]
    mean = np.average([cell.cost for cell in cells], axis=0, weights=weights)
    return _Group(service, ends, (mean, np.zeros_like(mean)), by_bytes=False, told=told)


def _line(cells: Sequence[_Cell], largest: int) -> _Line | None:
    """The line through the medians by size, if there are several sizes and the line rises.

    None if the sizes stay far below the largest message.

    The fit is least squares of relative deviations, weighted by numbers of calls; neither
    coefficient is negative.
    """
    size = np.array([max(cell.bytes, 1.0) for cell in cells])
    if size.max() < _WIDE * size.min() or _WIDE * size.max() < largest:
        return None
    weights = np.sqrt([cell.calls for cell in cells])
    found = []
    for cost in np.stack([cell.cost for cell in cells], axis=1):
        scale = weights / np.maximum(cost, 1.0)
        matrix = np.column_stack([scale, scale * (size - 1)])
        found.append(_not_negative(matrix, scale * cost))
    first, each = np.array(found).T
    rises = np.quantile(each[1:], (1 - PREDICTED_CONFIDENCE) / 2) > 0
    return (first, each) if rises and each[0] > 0 else None


def _not_negative(matrix: Floats, cost: Floats) -> Floats:
    """Least squares of two unknowns, neither negative: an unknown that would be negative is 0."""
    both: Floats = np.linalg.lstsq(matrix, cost, rcond=None)[0].astype(np.float64)
    if (both >= 0).all():
        return both
    alone = np.maximum(matrix.T @ cost / np.square(matrix).sum(axis=0), 0.0)
    ends = np.diag(alone)
    errors = [float(np.square(matrix @ end - cost).sum()) for end in ends]
    best: Floats = ends[int(np.argmin(errors))]
    return best


def _of_sends(groups: Sequence[_Group]) -> _Line | None:
    """The cost of a send to its rank: that of the sending call.

    The completing call may wait, so it does not count.
    """
    return _mean(
        [
            *((group, group.ends) for group in groups if group.service == "send"),
            *((group, group.ends / 2) for group in groups if group.service == "exchange"),
        ]
    )


def _of_receives(groups: Sequence[_Group]) -> _Line | None:
    """The cost of a receive to its rank, in the completing and the posting call."""
    parts = [
        *((group, group.ends) for group in groups if group.service == "receive"),
        *((group, group.ends) for group in groups if group.service == "complete"),
        *((group, group.ends / 2) for group in groups if group.service == "exchange"),
    ]
    posting = [group for group in groups if group.service == "post"]
    return _with(_mean(parts), parts, posting)


def _mean(parts: Sequence[tuple[_Group, float]]) -> _Line | None:
    """Mean over the groups with a known cost, weighted by the ends that they serve."""
    known = [(group.line, ends) for group, ends in parts if group.line is not None and ends]
    if not known:
        return None
    weights = [ends for _, ends in known]
    first, each = (
        np.average([line[part] for line, _ in known], axis=0, weights=weights) for part in (0, 1)
    )
    return first, each


def _with(
    line: _Line | None, parts: Sequence[tuple[_Group, float]], others: Sequence[_Group]
) -> _Line | None:
    """The line plus the cost of another call that serves some of the same ends."""
    more = _mean([(group, group.ends) for group in others])
    all_ends = sum(ends for _, ends in parts)
    if line is None or more is None or not all_ends:
        return line
    share = min(sum(group.ends for group in others) / all_ends, 1.0)
    return line[0] + share * more[0], line[1] + share * more[1]
