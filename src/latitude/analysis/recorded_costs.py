"""Costs of calls from a trace, which replace o in a graph (docs/internals/overheads.md)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from latitude import _core
from latitude.analysis.overheads import (
    LEAST_SHARE,
    ends_told,
    median,
    trace_of_calls,
    travel,
    untold,
)
from latitude.files.progress import Progress
from latitude.model.links import NOTHING_ADDED, AddedLatency
from latitude.model.network import Network
from latitude.trace.costs import CollectiveCost, EndCost, RecordedCosts
from latitude.trace.recording import Recording

_MAY_WAIT = ("exchange", "receive", "complete", "complete-send")
"""Services of calls that may wait; all others keep their recorded time."""
_NO_CORE = frozenset({"wall-clock-crowded", "without-core"})
"""Warnings of traces whose ranks waited for a core."""
_CURE = "use --costs loggps"
_NO_OPTIONS: Mapping[str, str | bool] = {}


def measured_for(recording: Recording, network: Network) -> bool:
    """Whether a recorded run may have had this measured network, and tells its calls' costs.

    `network` has the transports of that run.
    """
    if not network.draws or network.overheads is not None or not _had_cores(recording):
        return False
    return network.other_transports is None


def _had_cores(recording: Recording) -> bool:
    """Whether a trace tells its calls' costs, and no rank is known to have waited for a core.

    Only Latitude's own format records the number of cores.
    """
    if untold(recording) is not None or recording.info.wall is None:
        return False
    trace = recording.trace
    return trace is not None and not any(each.code in _NO_CORE for each in trace.warnings)


def recorded_costs(
    recording: Recording,
    network: Network,
    *,
    added: AddedLatency = NOTHING_ADDED,
    collectives: Sequence[str] = (),
    reduce_ns_per_byte: float = 0.0,
    threads: int = 0,
    progress: Progress | None = None,
    options: Mapping[str, str | bool] = _NO_OPTIONS,
) -> RecordedCosts:
    """The costs of a recorded run's calls, from calls that had nothing to wait for.

    Args:
        recording: the trace.
        network: the network of the run.
        added: additional latency of the recorded run's messages.
        collectives: algorithms of collectives, as in `latitude.load`.
        reduce_ns_per_byte: cost of a reduction, as in `latitude.load`.
        threads: 0 means one per core.
        progress: display of the progress.
        options: options of the trace's format, as in `latitude.load`.

    Raises:
        InputError: the trace holds no calls, or its times of calls are not their costs.
    """
    network = network.placed_as(recording.path)
    trace = trace_of_calls(recording, "costs", _CURE, progress=progress, threads=threads, **options)
    first, each = travel(network, trace.ranks)
    found = trace.overheads(
        first + added.ns, each, *network.eager_limits, told=True, threads=threads
    )
    links = network.links(trace.ranks).later(added)
    core = replace(network, compute_scale=1.0).core_of(links)
    return RecordedCosts(
        ends=list(_ends(found)),
        collectives=list(_collectives(trace, core, collectives, reduce_ns_per_byte)),
        eager_bytes=found.eager_blocking,
        starts_ns=trace.starts_ns,
    )


def _ends(found: _core.Overheads) -> Iterator[EndCost]:
    for each in found.costs:
        if each.service in _MAY_WAIT and each.calls and ends_told(each) >= LEAST_SHARE * each.ends:
            order = np.argsort(each.ns, kind="stable")
            ns = median(each.ns[order], each.share[order].astype(np.float64))
            yield EndCost(each.call, each.service, 1 << each.log2, each.calls, ns)


def _collectives(
    trace: _core.Trace, network: _core.Network, algorithms: Sequence[str], reduce_ns_per_byte: float
) -> Iterator[CollectiveCost]:
    for each in trace.collective_times():
        alone = _core.build_alone(
            trace, each.first, collectives=list(algorithms), reduce_ns_per_byte=reduce_ns_per_byte
        )
        flying = _core.Model(alone, network).runtime()
        took = float(np.median(each.ns))
        rest = max(took - flying, 0.0)
        size = 1 << each.log2
        yield CollectiveCost(each.call, each.members, size, each.ns.size, took, rest)
