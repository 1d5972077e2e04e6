"""A run under injected latency as JSON and as lines; schema `latitude.inject/1`."""

import math
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np

from latitude.distributions.table import Table
from latitude.files.provenance import stamped
from latitude.launch.injecting.recorded import Delays, cell_floor
from latitude.launch.injecting.session import FLOW, OFF, Injected
from latitude.units.quantities import counted, format_time

SCHEMA = "latitude.inject/1"
_QUANTILES = {"p1": 0.01, "p50": 0.5, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}
_BARS, _WIDTH = 12, 40


def described(injected: Injected) -> dict[str, Any]:
    """Everything, for programs."""
    request, counts = injected.request, injected.counts
    asked, achieved = totals(injected)
    content = {
        "command": list(request.command),
        "layer": request.layer,
        "intra_node": request.intra_node,
        "per_wr": request.per_wr,
        "seed": None if request.latency is None else request.latency.seed,
        "table": None if request.latency is None else _table(request.latency.table),
        "exit_status": injected.ended.status,
        "signal": injected.ended.signal,
        "timed_out": injected.ended.timed_out,
        "seconds": round(injected.ended.seconds, 6),
        "runtime_ns": injected.runtime_ns,
        "delayed": sum(each.delayed for each in counts),
        "passed": sum(each.passed for each in counts),
        "asked": figures(asked),
        "achieved": figures(achieved),
        "histogram": _histogram(asked, achieved),
        "processes": [
            {
                "rank": each.rank,
                "host": each.host,
                "pid": each.process,
                "ended": each.ended,
                "runtime_ns": each.runtime_ns,
                "hooked": each.hooked,
                "delayed": each.delayed,
                "passed": each.passed,
                "loads": each.loads,
                "asked_mean_ns": _number(each.asked.mean_ns),
                "achieved_mean_ns": _number(each.achieved.mean_ns),
                "delayed_transports": each.delayed_transports,
                "other_transports": each.other_transports,
                "off": each.off or None,
            }
            for each in counts
        ],
    }
    return stamped(SCHEMA, content)


def _table(table: Table) -> dict[str, Any]:
    figures_of = table.after
    return {
        "source": table.source,
        "mean_ns": figures_of.mean,
        "sd_ns": figures_of.sd,
        "p999_ns": figures_of.p999,
    }


def totals(injected: Injected) -> tuple[Delays, Delays]:
    """Asked and achieved, of all processes."""
    none = Delays(np.zeros(1, dtype=np.uint64), np.zeros(1, dtype=np.uint64))
    if not injected.counts:
        return none, none
    asked = reduce(Delays.merged, (each.asked for each in injected.counts))
    return asked, reduce(Delays.merged, (each.achieved for each in injected.counts))


def figures(delays: Delays) -> dict[str, float | None]:
    """Mean and quantiles, ns; None when there are none."""
    if not delays.total:
        return dict.fromkeys(("mean_ns", *(f"{name}_ns" for name in _QUANTILES)))
    values = delays.sketch().quantile(list(_QUANTILES.values()))
    found = {f"{name}_ns": float(value) for name, value in zip(_QUANTILES, values, strict=True)}
    return {"mean_ns": delays.mean_ns, **found}


def lines(injected: Injected) -> list[str]:
    """What people read."""
    counts = injected.counts
    ranks = counted(len(counts), "rank")
    if injected.request.layer == OFF:
        return [f"{ranks}, nothing delayed", *_runtime(injected)]
    asked, achieved = totals(injected)
    transports = sorted({name for each in counts for name in each.delayed_transports})
    what = "message" if injected.request.layer == FLOW else "post"
    how_many = f"{ranks}, {counted(asked.total, what)} delayed"
    shown = [f"{how_many} ({', '.join(transports)})"]
    shown.append("           mean       p1         p50        p95        p99        p99.9")
    for name, delays in (("asked", asked), ("achieved", achieved)):
        values = [format_time(value, 4) for value in figures(delays).values() if value is not None]
        shown.append(f"{name:<10} " + " ".join(f"{value:<10}" for value in values).rstrip())
    return [*shown, *_bars(asked, achieved), *_runtime(injected)]


def _runtime(injected: Injected) -> list[str]:
    known = [each.runtime_ns for each in injected.counts if each.runtime_ns is not None]
    if not known:
        return []
    longest, shortest = (format_time(value, 4) for value in (max(known), min(known)))
    spread = "" if longest == shortest else f"; the shortest of a rank is {shortest}"
    return [f"run time   {longest} from MPI_Init to MPI_Finalize{spread}"]


def _edges(asked: Delays, achieved: Delays) -> list[int]:
    """First cells of about _BARS ranges from the smallest to the largest delay."""
    held = np.flatnonzero(asked.count + achieved.count)
    first, last = int(held[0]), int(held[-1]) + 1
    step = max(1, math.ceil((last - first) / _BARS))
    return [*range(first, last, step), first + math.ceil((last - first) / step) * step]


def _bars(asked: Delays, achieved: Delays) -> list[str]:
    """A histogram on a logarithmic axis: # asked, o achieved."""
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


def _histogram(asked: Delays, achieved: Delays) -> dict[str, list[float] | list[int]]:
    """Cells that hold delays: their lower ends in ns, and counts."""
    held = np.flatnonzero(asked.count + achieved.count)
    return {
        "from_ns": [cell_floor(int(cell)) for cell in held],
        "to_ns": [cell_floor(int(cell) + 1) for cell in held],
        "asked": [int(count) for count in asked.count[held]],
        "achieved": [int(count) for count in achieved.count[held]],
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
