"""Traces of other tools: how fast OTF2 is read and written, and Paraver read, by one core."""

import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

from latitude import _core
from latitude.cli.main import main

from harness import Report, median
from inputs import TRACES, Inputs

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support import otf2_archive, paraver

LONG = "BIG-npb-lu.A-8"
OPERATIONS = 400_000


def run(inputs: Inputs, report: Report, runs: int) -> None:
    if (TRACES / f"{LONG}.tar.xz").exists():
        _otf2(inputs, report, runs)
    else:
        report.say("OTF2", "no ../shared/traces")
    _paraver(inputs.work, report, runs)


def _latitude(*words: object) -> None:
    if main([str(word) for word in words]) != 0:
        raise SystemExit("an input could not be made")


def _cpu_seconds(work: Callable[[], object], runs: int) -> list[float]:
    samples = []
    for _ in range(runs):
        begin = time.process_time()
        work()
        samples.append(time.process_time() - begin)
    return samples


def _otf2(inputs: Inputs, report: Report, runs: int) -> None:
    trace = _core.trace_format("liballprof").read(inputs.trace(LONG, 1))
    folder = inputs.work / "formats.otf2"
    form = _core.trace_format("otf2")

    def write() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        form.write(trace, str(folder), 1)

    written = _cpu_seconds(write, runs)
    anchor = folder / "traces.otf2"
    with otf2_archive.otf2().reader.open(str(anchor)) as archive:
        events = sum(location.number_of_events for location in archive.definitions.locations)
    read = _cpu_seconds(lambda: form.read([str(anchor)], {}, 1), runs)
    case = f"OTF2, one core · {LONG}, {events:,} events"
    rates = [events / 1e6 / seconds for seconds in read]
    report.add(case, "read", median(rates), "M events/s", at_least=5, samples=rates)
    rates = [events / 1e6 / seconds for seconds in written]
    report.add(case, "written", median(rates), "M events/s", samples=rates)


def _paraver(work: Path, report: Report, runs: int) -> None:
    path = work / "formats.prv"
    if not path.exists():
        ours, archive = work / "formats-ours", work / "formats-wavefront.otf2"
        _latitude(
            *("synthesize", "wavefront", "--ranks", 8, "--calls", OPERATIONS),
            *("--force", "-o", ours),
        )
        _latitude("convert", ours, archive, "--force")
        paraver.write(archive / "traces.otf2", path)
    form = _core.trace_format("paraver")
    read = _cpu_seconds(lambda: form.read([str(path)], {}, 1), runs)
    size = path.stat().st_size / 1e6
    case = f"Paraver, one core · a wavefront of 8 ranks, {size:.0f} MB"
    rates = [size / seconds for seconds in read]
    report.add(case, "read", median(rates), "MB/s", at_least=200, samples=rates)
