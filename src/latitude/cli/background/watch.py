"""`latitude background watch`: samples b into a Parquet file."""

import argparse
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from latitude.cli.background.queue import Meter, QueueOptions
from latitude.lab.results.background import Utilization
from latitude.notices.saying import say
from latitude.render.terminal import print_warnings, results_console
from latitude.units.options import option, whole
from latitude.units.quantities import format_count, format_time, parse_time

INTERVAL = "30s"
_LEAST_NS = 1e9


def _interval(text: str) -> float:
    ns = parse_time(text, "interval", INTERVAL)
    if ns < _LEAST_NS:
        raise argparse.ArgumentTypeError(
            f"'{text}' would keep Slurm's controller busy; give 1s or more, {INTERVAL} is kind"
        )
    return ns


@dataclass(kw_only=True)
class WatchOptions(QueueOptions):
    """Options for sampling b."""

    directory: Path = option("directory for the samples", "DIR", Path, spelled="-o", required=True)
    interval: float = option(
        f"time between samples, e.g. 1s or 120s (default: {INTERVAL})",
        "TIME",
        _interval,
        default=parse_time(INTERVAL),
    )
    count: int | None = option(
        "stop after N samples (default: never)", "N", whole("a number of samples", 1)
    )


class Watch:
    """Measures b again and again."""

    name = "watch"
    summary = "sample b into a directory of Parquet files until interrupted"
    description = """\
Writes b every --interval into DIR, one Parquet file for each watcher and day. Every sample is on
disk at once. Ctrl-C ends the command at any time, and a new start adds to DIR. If Slurm does not
answer, the samples have a gap, with a line on standard error."""
    example = "latitude background watch -o watched --interval 60s"
    options = WatchOptions

    def run(self, arguments: WatchOptions) -> None:
        from latitude.lab.cluster.watch import watch  # noqa: PLC0415

        meter = Meter(arguments)
        taken = 0

        def measure() -> Utilization:
            nonlocal taken
            found = meter()
            if not taken:
                print_warnings(results_console(stderr=True), found.warnings)
            taken += 1
            if sys.stderr.isatty():
                print(f"b = {found.b:.3f}, {taken:,} samples", end="\r", file=sys.stderr)  # noqa: T201
            return found

        before = signal.signal(signal.SIGTERM, _interrupt)
        try:
            watch(
                measure,
                arguments.directory,
                interval_s=arguments.interval / 1e9,
                count=arguments.count,
                tell=say,
            )
        except KeyboardInterrupt:
            pass  # the intended end
        finally:
            signal.signal(signal.SIGTERM, before)
        say(
            f"{arguments.directory}: {format_count(taken)} samples of b, one every "
            f"{format_time(arguments.interval)}"
        )


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt
