"""Keeps the samples of a measurement: tables with labels, and one JSON per operation."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from latitude._core import InputError
from latitude.files.clock import stamp
from latitude.files.provenance import made_now
from latitude.files.writing import write_new
from latitude.lab.cluster.surroundings import QueueAround, placement
from latitude.measure import sampling
from latitude.measure.congestion import LoadBeside
from latitude.measure.results import BenchResults
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.results.measurement import (
    SampleMeasurement,
    SamplePlace,
    SizeSummary,
    UtilizationAround,
)
from latitude.units.quantities import format_share

if TYPE_CHECKING:
    import pandas as pd

WARM_UP, PER_RANK = "warm-up", "per-rank"
"""Directories of DIR: iterations of the warm-up, and each rank's own times."""
_SHARES = (0.5, 0.99, 0.999)
_MANY_LATE = 0.05
_PUNCTUAL_NS = 1e3
"""Lateness, ns, below which a rank counts as punctual; even reading the clock takes some 100 ns."""


@dataclass(slots=True)
class Kept:
    """The stored results of a measurement."""

    summaries: list[SizeSummary] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    paths: list[Path] = field(default_factory=list)
    """The tables of samples."""


def keep(
    directory: Path,
    found: Sequence[BenchResults],
    around: QueueAround,
    load: LoadBeside | None,
    topology: Path | None,
    *,
    interrupted: bool,
) -> Kept:
    """Adds the samples of some operations to the samples in `directory`.

    InputError: all iterations are warm-up.
    """
    when = stamp(datetime.now(timezone.utc))
    kept = Kept(notices=around.notices())
    for results in found:
        hosts = [place.host for place in results.places()]
        labels = _labels(placement(hosts, topology), around, load)
        run = f"{results.text('operation')}-{when}"
        frame = sampling.table(results, warmup=False)
        if frame.empty:
            continue
        kept.paths.append(_store(directory, run, frame.assign(**labels)))
        for name, other in (
            (WARM_UP, sampling.table(results, warmup=True)),
            (PER_RANK, sampling.table_of_ranks(results)),
        ):
            if not other.empty:
                _store(directory / name, run, other.assign(**labels))
        summaries = summaries_of(frame)
        kept.summaries += summaries
        kept.notices += _notices(results, summaries)
        result = SampleMeasurement(
            provenance=made_now(),
            mpi=results.text("mpi"),
            crowded=results.text("crowded") == "1",
            interrupted=interrupted,
            places=tuple(
                SamplePlace(rank=place.rank, host=place.host, core=place.core)
                for place in results.places()
            ),
            b=UtilizationAround(before=around.before, after=around.after, kept=around.b),
            load=None if load is None else load.load,
            summary=tuple(summaries),
        )
        write_new(directory / f"{run}.json", result.to_json(), force=False)
    if not kept.paths:
        raise InputError("interrupted before the first iteration counted: nothing was kept")
    return kept


def _labels(
    where: str | None, around: QueueAround, load: LoadBeside | None
) -> dict[str, str | float]:
    labels: dict[str, str | float] = {}
    if where is not None:
        labels["placement"] = where
    if around.before is not None and around.after is not None:
        labels["b"] = math.nan if around.b is None else around.b
        labels["b_before"], labels["b_after"] = around.before, around.after
    labels["load"] = 0.0 if load is None else load.asked
    return labels


def _store(directory: Path, run: str, frame: "pd.DataFrame") -> Path:
    from latitude.samples import SampleStore  # noqa: PLC0415 - slow to import

    return SampleStore(directory).write(run, frame)


def summaries_of(frame: "pd.DataFrame") -> list[SizeSummary]:
    """A summary for each size in a table of samples."""
    found = []
    for _, group in frame.groupby("bytes", sort=False):
        latency = group["latency_ns"]
        median, p99, p999 = latency.quantile(list(_SHARES))
        found.append(
            SizeSummary(
                collective=str(group["collective"].iloc[0]),
                bytes=int(group["bytes"].iloc[0]),
                iterations=len(group),
                min_ns=float(latency.min()),
                median_ns=float(median),
                mean_ns=float(latency.mean()),
                sd_ns=float(latency.std()) if len(group) > 1 else 0.0,
                p99_ns=float(p99),
                p999_ns=float(p999),
                max_ns=float(latency.max()),
                late_share=float((group["late_ns"] > median + _PUNCTUAL_NS).mean()),
                clock_error_ns=float(group["clock_error_ns"].max()),
            )
        )
    return found


def _notices(results: BenchResults, summaries: Sequence[SizeSummary]) -> list[Notice]:
    late = max(each.late_share for each in summaries)
    if late <= _MANY_LATE:
        return []
    crowded = " (there are more ranks than cores)" if results.text("crowded") == "1" else ""
    return [
        kinds.LATE_RANKS(
            f"{results.text('operation')}: in up to {format_share(late)} of the iterations a rank "
            "began over a median latency late",
            crowded=crowded,
        )
    ]
