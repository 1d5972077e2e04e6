"""`latitude measure load`: makes congestion."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from latitude.cli import progress
from latitude.cli.measure.launching import LaunchingOptions, directory_of, launch_line
from latitude.cli.measure.loading import message_option, peak_option, share
from latitude.cli.outputs import Outputs, ResultOptions, directory_option
from latitude.files.progress import Progress
from latitude.files.provenance import made_now
from latitude.measure.congestion import flowing, load_of, request
from latitude.measure.results import BenchResults
from latitude.measure.running import running
from latitude.render.documents.measurement import load_document
from latitude.results.measurement import LoadMeasurement
from latitude.units.options import option, whole
from latitude.units.quantities import parse_time

_FILE = "load.json"
_MOST_SEED = 2**32 - 1
"""Largest seed of the Mersenne Twister."""


@dataclass(kw_only=True)
class LoadOptions(LaunchingOptions, ResultOptions, topic="load"):
    """Amount and duration of the load."""

    share: Any = option(
        "share of the one-way bandwidth of a pair, e.g. 50% (the default)",
        "SHARE",
        share,
        default=0.5,
    )
    length: float = option(
        "duration (default: until it is stopped)",
        "TIME",
        lambda text: parse_time(text, "for", "10s"),
        default=0.0,
        spelled="--for",
    )
    seed: int = option(
        "seed of the gaps (default: 1)", "N", whole("a seed", most=_MOST_SEED), default=1
    )
    message: int = message_option(topic="load")
    peak: float = peak_option(topic="load")
    directory: Path = directory_option(_FILE, directory_of("load"))


class Load:
    """Runs the congestion generator of Underwood et al. 2018, §5.1."""

    name = "load"
    summary = "keep a share of the bandwidth busy, and report what was achieved"
    description = """\
Generates congestion by algorithm 3 of Underwood, Anderson and Apon, ICPE'18. Ranks on different
nodes form pairs around a ring; one rank of a pair sends, the other receives. Exponential gaps keep
a share of the one-way bandwidth, which Latitude measures first. Start two ranks per node. Runs
until Ctrl-C or SIGTERM, or for the time of --for."""
    example = "latitude measure load --share 50% --for 60s -- mpirun -n 4"
    options = LoadOptions

    def run(self, arguments: LoadOptions) -> None:
        launch = launch_line(arguments, self.name)
        outputs = Outputs.of(arguments, _FILE)
        wanted = request(
            launch,
            arguments.share,
            message=arguments.message,
            seed=arguments.seed,
            for_ns=arguments.length,
            peak=arguments.peak,
            pin=not arguments.no_pin,
            mpicc=arguments.mpicc,
        )
        with progress.shown() as bar, running(wanted, arguments.directory) as job:
            results = job.wait(_Watch(bar, arguments.length))
        outputs.give(
            load_document(
                LoadMeasurement(
                    provenance=made_now(),
                    mpi=results.text("mpi"),
                    **msgspec.structs.asdict(load_of(results, arguments.share, arguments.message)),
                )
            )
        )


class _Watch:
    """Moves a progress bar of seconds."""

    def __init__(self, bar: Progress, length_ns: float) -> None:
        self._bar, self._total = bar, round(length_ns / 1e9) or None
        self._seconds: int | None = None
        bar.stage("Measuring the bandwidth")

    def __call__(self, results: BenchResults) -> None:
        """Reports the results so far."""
        seconds = flowing(results)
        if seconds is None:
            return
        if self._seconds is None:
            ending = "" if self._total else "; Ctrl-C ends it"
            self._bar.stage(f"Load{ending}", self._total)
            self._seconds = 0
        self._bar.advance(round(seconds) - self._seconds)
        self._seconds = round(seconds)
