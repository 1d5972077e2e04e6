"""Whole `latitude analyze … -o` processes, from a trace to its page: time, memory, two threads."""

import os
import shutil
from pathlib import Path

from harness import Finished, Report, analyze, median
from inputs import Inputs

TRACES = {"halo": 2, "wavefront": 64, "cg": 64}
"""Patterns of `latitude synthesize`, and ranks."""
CALLS = int(float(os.environ.get("LATITUDE_ANALYSIS_CALLS", "1e7")))


def run(inputs: Inputs, report: Report, runs: int) -> None:
    for pattern, ranks in TRACES.items():
        trace = inputs.synthetic(pattern, ranks, CALLS)
        page = inputs.work / "analysis"
        case = f"Files to page · {pattern}, {ranks} ranks, {CALLS / 1e6:g} million calls"
        one, two = zip(*(_in_turn(trace, page) for _ in range(runs)), strict=True)
        for threads, results in ((1, one), (2, two)):
            ended, peaks = zip(*results, strict=True)
            cpu = [each.cpu for each in ended]
            report.add(
                case,
                f"processor time, --threads {threads}",
                median(cpu),
                "s",
                at_most=10 if threads == 1 else None,
                note=f"{median([each.system for each in ended]):.1f} s of it the system's",
                samples=cpu,
            )
            peak = [each / 1e9 for each in peaks]
            bar = 1.2 if threads == 1 else None
            report.add(case, "… most memory", max(peak), "GB", at_most=bar, samples=peak)
            report.add(case, "… per call", max(peak) * 1e9 / CALLS, "bytes")
        pairs = zip(one, two, strict=True)
        faster = [alone.wall / together.wall for (alone, _), (together, _) in pairs]
        what = "two threads are faster than one by"
        report.add(case, what, median(faster), "×", at_least=1.7, samples=faster)
        size = sum(file.stat().st_size for file in page.rglob("*") if file.is_file()) / 1e6
        report.add(case, "page and files", size, "MB")
        shutil.rmtree(page)


def _in_turn(trace: Path, page: Path) -> tuple[tuple[Finished, int], tuple[Finished, int]]:
    """One process with one thread, then one with two."""
    one, two = (analyze(trace, page, "--threads", str(threads)) for threads in (1, 2))
    return one, two
