"""Describes a run under injected latency: as a result, and as lines for the terminal."""

import math
from itertools import pairwise

import numpy as np

from latitude.distributions.table import QuantileTable
from latitude.files.provenance import made_now
from latitude.launch.injecting.recorded import Counted, Delays, cell_floor, late_mean_ns
from latitude.launch.injecting.session import Injected
from latitude.launch.injecting.verdict import notices
from latitude.results.injection import (
    FLOW,
    OFF,
    DelayFigures,
    DelayHistogram,
    InjectedProcess,
    InjectedTable,
    Injection,
)
from latitude.units.quantities import counted, format_time

_QUANTILES = {"p1_ns": 0.01, "p50_ns": 0.5, "p95_ns": 0.95, "p99_ns": 0.99, "p999_ns": 0.999}
_BARS, _WIDTH = 12, 40


def described(injected: Injected) -> Injection:
    """The result of a run."""
    request, counts = injected.request, injected.counts
    asked, achieved = injected.totals
    table = None if request.latency is None else request.latency.table
    return Injection(
        provenance=made_now(),
        command=tuple(request.command),
        layer=request.layer,
        intra_node=request.intra_node,
        per_wr=request.per_wr,
        seed=None if request.latency is None else request.latency.seed,
        table=None if table is None else _table(table),
        exit_status=injected.ended.status,
        signal=injected.ended.signal,
        timed_out=injected.ended.timed_out,
        seconds=round(injected.ended.seconds, 6),
        runtime_ns=injected.runtime_ns,
        delayed=sum(each.delayed for each in counts),
        passed=sum(each.passed for each in counts),
        asked=figures(asked),
        achieved=figures(achieved),
        late=sum(each.late for each in counts),
        late_mean_ns=late_mean_ns(counts),
        histogram=_histogram(asked, achieved),
        processes=tuple(map(_process, counts)),
        warnings=tuple(notices(injected)),
    )


def _table(table: QuantileTable) -> InjectedTable:
    after = table.after
    return InjectedTable(
        source=table.source, mean_ns=after.mean, sd_ns=after.sd, p999_ns=after.p999
    )


def _process(each: Counted) -> InjectedProcess:
    return InjectedProcess(
        rank=each.rank,
        host=each.host,
        pid=each.process,
        ended=each.ended,
        runtime_ns=each.runtime_ns,
        hooked=each.hooked,
        delayed=each.delayed,
        passed=each.passed,
        loads=each.loads,
        asked_mean_ns=_mean(each.asked),
        achieved_mean_ns=_mean(each.achieved),
        late_mean_ns=late_mean_ns([each]),
        delayed_transports=tuple(each.delayed_transports),
        other_transports=tuple(each.other_transports),
        off=each.off or None,
    )


def _mean(delays: Delays) -> float | None:
    return delays.mean_ns if delays.total else None


def figures(delays: Delays) -> DelayFigures:
    """Mean and quantiles, ns; all None without delays."""
    if not delays.total:
        return DelayFigures()
    values = delays.sketch().quantile(list(_QUANTILES.values()))
    found = {name: float(value) for name, value in zip(_QUANTILES, values, strict=True)}
    return DelayFigures(mean_ns=delays.mean_ns, **found)


def lines(injected: Injected) -> list[str]:
    """The result as lines for the terminal."""
    counts = injected.counts
    ranks = counted(len(counts), "rank")
    if injected.request.layer == OFF:
        return [f"{ranks}, nothing delayed", *_runtime(injected)]
    asked, achieved = injected.totals
    transports = sorted({name for each in counts for name in each.delayed_transports})
    what = "message" if injected.request.layer == FLOW else "post"
    how_many = f"{ranks}, {counted(asked.total, what)} delayed"
    shown = [f"{how_many} ({', '.join(transports)})"]
    shown.append("           mean       p1         p50        p95        p99        p99.9")
    for name, delays in (("asked", asked), ("achieved", achieved)):
        values = [format_time(value, 4) for value in figures(delays).known()]
        shown.append(f"{name:<10} " + " ".join(f"{value:<10}" for value in values).rstrip())
    if late := late_mean_ns(counts):
        shown.append(
            f"the machine added {format_time(late, 3)} of these on average, for ranks that waited"
        )
    return [*shown, *_bars(asked, achieved), *_runtime(injected)]


def _runtime(injected: Injected) -> list[str]:
    known = [each.runtime_ns for each in injected.counts if each.runtime_ns is not None]
    if not known:
        return []
    longest, shortest = (format_time(value, 4) for value in (max(known), min(known)))
    spread = "" if longest == shortest else f"; the shortest of a rank is {shortest}"
    return [f"run time   {longest} from MPI_Init to MPI_Finalize{spread}"]


def _edges(asked: Delays, achieved: Delays) -> list[int]:
    """Edges of about _BARS equal ranges of cells, from the smallest to the largest delay."""
    held = np.flatnonzero(asked.count + achieved.count)
    first, last = int(held[0]), int(held[-1]) + 1
    step = max(1, math.ceil((last - first) / _BARS))
    return [*range(first, last, step), first + math.ceil((last - first) / step) * step]


def _bars(asked: Delays, achieved: Delays) -> list[str]:
    """A histogram on a logarithmic axis; # marks requested and o achieved latency."""
    edges = _edges(asked, achieved)
    if len(np.flatnonzero(asked.count)) < _BARS:
        return []  # a constant
    rows = [
        (low, int(asked.count[low:high].sum()), int(achieved.count[low:high].sum()))
        for low, high in pairwise(edges)
    ]
    most = max(max(a, b) for _, a, b in rows)
    shown = ["from       # asked, o achieved"]
    for low, a, b in rows:
        start = format_time(cell_floor(low), 3)
        shown.append(f"{start:<10} {'#' * round(a / most * _WIDTH)}".rstrip())
        if bar := "o" * round(b / most * _WIDTH):
            shown.append(f"{'':<10} {bar}")
    return shown


def _histogram(asked: Delays, achieved: Delays) -> DelayHistogram:
    """Cells that contain delays."""
    held = np.flatnonzero(asked.count + achieved.count).tolist()
    return DelayHistogram(
        from_ns=tuple(map(cell_floor, held)),
        to_ns=tuple(cell_floor(cell + 1) for cell in held),
        asked=tuple(asked.count[held].tolist()),
        achieved=tuple(achieved.count[held].tolist()),
    )
