"""The samples of `latitude measure`: kept with their labels, summed up on the terminal."""

import argparse
import math
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from latitude._core import InputError
from latitude.cli.measure.loading import load_sentence
from latitude.files.provenance import stamped
from latitude.files.text import finite, json_text
from latitude.files.writing import write_new
from latitude.measure import sampling
from latitude.measure.congestion import Beside
from latitude.measure.results import Results
from latitude.measure.surroundings import Utilization, placement
from latitude.notices.notice import Notice
from latitude.render.terminal import plain_table, print_warnings, results_console
from latitude.units.quantities import format_share, format_size, format_time

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = "latitude.measure.samples/1"
WARM_UP, PER_RANK = "warm-up", "per-rank"
"""Directories of DIR: iterations that do not count, and each rank's own times."""
_SHARES = (0.5, 0.99, 0.999)
_MANY_LATE = 0.05
_PUNCTUAL_NS = 1e3
"""A rank that looks at the clock is never more punctual than some 100 ns."""


def report(
    arguments: argparse.Namespace,
    found: Sequence[Results],
    around: Utilization,
    load: Beside | None,
    *,
    interrupted: bool,
) -> None:
    """Keeps the samples and says what they are."""
    from latitude.cluster.clock import stamp  # noqa: PLC0415

    when = stamp(datetime.now(timezone.utc))
    console = results_console()
    written: list[Path] = []
    rows: list[dict[str, Any]] = []
    notices = around.notices()
    for results in found:
        hosts = [place.host for place in results.places()]
        labels = _labels(placement(hosts, arguments.topology), around, load)
        run = f"{results.text('operation')}-{when}"
        frame = sampling.table(results, warmup=False)
        if frame.empty:
            continue
        written.append(_keep(arguments.directory, run, frame.assign(**labels)))
        for name, other in (
            (WARM_UP, sampling.table(results, warmup=True)),
            (PER_RANK, sampling.table_of_ranks(results)),
        ):
            if not other.empty:
                _keep(arguments.directory / name, run, other.assign(**labels))
        described = summaries(frame)
        rows += described
        notices += _notices(results, frame)
        content = {
            "mpi": results.text("mpi"),
            "crowded": results.text("crowded") == "1",
            "interrupted": interrupted,
            "places": [
                {"rank": place.rank, "host": place.host, "core": place.core}
                for place in results.places()
            ],
            "b": {"before": around.before, "after": around.after, "kept": around.b},
            "load": None if load is None or load.load is None else load.load.to_dict(),
            "summary": described,
        }
        text = json_text(stamped(SCHEMA, finite(content)))
        write_new(arguments.directory / f"{run}.json", text, force=False)
    if not written:
        raise InputError("interrupted before the first iteration counted: nothing was kept")
    _print(console, rows, notices, load)
    if interrupted:
        console.print("Interrupted: what was measured until then is kept.")
    for path in written:
        console.print(f"{path}: added", markup=False, soft_wrap=True)
    console.print(
        f"Next: latitude stats tail {arguments.directory} --by collective --by bytes", markup=False
    )


def _labels(where: str | None, around: Utilization, load: Beside | None) -> dict[str, str | float]:
    labels: dict[str, str | float] = {}
    if where is not None:
        labels["placement"] = where
    if around.before is not None and around.after is not None:
        labels["b"] = math.nan if around.b is None else around.b
        labels["b_before"], labels["b_after"] = around.before, around.after
    labels["load"] = 0.0 if load is None else load.asked
    return labels


def _keep(directory: Path, run: str, frame: "pd.DataFrame") -> Path:
    from latitude.samples import SampleStore  # noqa: PLC0415 - slow to import

    return SampleStore(directory).write(run, frame)


def summaries(frame: "pd.DataFrame") -> list[dict[str, Any]]:
    """Of each size: count and, in ns, least, median, mean, sd, p99, p99.9, most; the share late."""
    found = []
    for _, group in frame.groupby("bytes", sort=False):
        latency = group["latency_ns"]
        median, p99, p999 = latency.quantile(list(_SHARES))
        found.append(
            {
                "collective": str(group["collective"].iloc[0]),
                "bytes": int(group["bytes"].iloc[0]),
                "iterations": len(group),
                "min_ns": float(latency.min()),
                "median_ns": float(median),
                "mean_ns": float(latency.mean()),
                "sd_ns": float(latency.std()) if len(group) > 1 else 0.0,
                "p99_ns": float(p99),
                "p99.9_ns": float(p999),
                "max_ns": float(latency.max()),
                "late_share": float((group["late_ns"] > median + _PUNCTUAL_NS).mean()),
                "clock_error_ns": float(group["clock_error_ns"].max()),
            }
        )
    return found


def _notices(results: Results, frame: "pd.DataFrame") -> list[Notice]:
    notices = []
    late = max(each["late_share"] for each in summaries(frame))
    if late > _MANY_LATE:
        notices.append(
            Notice(
                "late-ranks",
                f"{results.text('operation')}: in up to {format_share(late)} of the iterations a "
                "rank began over a median latency late",
                "something else uses the cores"
                + (" (there are more ranks than cores)" if results.text("crowded") == "1" else "")
                + "; leave rows with a large late_ns out, or give ranks cores of their own",
            )
        )
    return notices


def _print(
    console: Console,
    rows: Sequence[dict[str, Any]],
    notices: Sequence[Notice],
    load: Beside | None,
) -> None:
    columns = ("n", "min", "median", "mean", "sd", "p99", "p99.9", "max")
    table = plain_table("Latency", "operation", *columns)
    for row in rows:
        size = f", {format_size(row['bytes'])}" if row["bytes"] else ""
        times = ("min", "median", "mean", "sd", "p99", "p99.9", "max")
        table.add_row(
            f"{row['collective']}{size}",
            f"{row['iterations']:,}",
            *(format_time(row[f"{name}_ns"], 3) for name in times),
        )
    console.print(table)
    error = max(row["clock_error_ns"] for row in rows)
    console.print(
        f"\nClocks agree within {format_time(error, 3)}."
        if error > 0
        else "\nAll ranks read one clock.",
        markup=False,
    )
    if load is not None:
        console.print(load_sentence(load), markup=False)
    print_warnings(console, notices)
