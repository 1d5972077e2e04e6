"""`latitude background watch`: b sampled to Parquet."""

import argparse
import signal
import sys
from pathlib import Path
from typing import NoReturn

from latitude.cli import plain_options
from latitude.cli.background.queue import Meter, add_queue
from latitude.notices.saying import say
from latitude.render.terminal import print_warnings, results_console
from latitude.results.background import Utilization
from latitude.units.quantities import format_count, format_time, parse_time

INTERVAL = "30s"
_LEAST_NS = 1e9


class Watch:
    """Many measurements."""

    name = "watch"
    summary = "sample b into a directory of Parquet files until interrupted"
    description = """\
Writes b every --interval into DIR, one Parquet file for each watcher and day; every sample is on
disk at once, Ctrl-C ends it at any time, and starting it again adds to DIR. When Slurm does not
answer there is a gap, and a line on standard error."""
    example = "latitude background watch -o watched --interval 60s"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "-o", dest="directory", metavar="DIR", type=Path, required=True, help="where to write"
        )
        parser.add_argument(
            "--interval",
            metavar="TIME",
            default=parse_time(INTERVAL),
            type=plain_options.checked(_interval),
            help=f"time between samples, e.g. 1s or 120s (default: {INTERVAL})",
        )
        parser.add_argument(
            "--count",
            metavar="N",
            type=plain_options.whole("a number of samples", 1),
            help="stop after N samples (default: never)",
        )
        add_queue(parser, saved=False)

    def run(self, arguments: argparse.Namespace) -> None:
        from latitude.cluster.watch import watch  # noqa: PLC0415

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
            pass  # how it is meant to end
        finally:
            signal.signal(signal.SIGTERM, before)
        say(
            f"{arguments.directory}: {format_count(taken)} samples of b, one every "
            f"{format_time(arguments.interval)}"
        )


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _interval(text: str) -> float:
    ns = parse_time(text, "interval", INTERVAL)
    if ns < _LEAST_NS:
        raise argparse.ArgumentTypeError(
            f"'{text}' would keep Slurm's controller busy; 1s is the least, {INTERVAL} is kind"
        )
    return ns
