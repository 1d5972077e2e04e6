"""Whole `latitude analyze … -o` processes, from a trace to its page: processor time and memory."""

import shutil

from harness import Report, analyze, median
from inputs import Inputs

TRACES = {"halo": 2, "wavefront": 64}
"""Patterns of `latitude synthesize`, and ranks."""
CALLS = 10_000_000


def run(inputs: Inputs, report: Report, runs: int) -> None:
    for pattern, ranks in TRACES.items():
        trace = inputs.synthetic(pattern, ranks, CALLS)
        page = inputs.work / "analysis"
        case = f"Files to page · {pattern}, {ranks} ranks, {CALLS / 1e6:g} million calls"
        ended, peaks = zip(*(analyze(trace, page) for _ in range(runs)), strict=True)
        cpu = [each.cpu for each in ended]
        system = median([each.system for each in ended])
        report.add(
            case,
            "processor time, two threads where it has some",
            median(cpu),
            "s",
            at_most=10,
            note=f"{system:.1f} s of it the system's",
            samples=cpu,
        )
        peak = [each / 1e9 for each in peaks]
        report.add(case, "most memory", max(peak), "GB", at_most=1.2, samples=peak)
        report.add(case, "… per call", max(peak) * 1e9 / CALLS, "bytes")
        size = sum(file.stat().st_size for file in page.rglob("*") if file.is_file()) / 1e6
        report.add(case, "page and files", size, "MB")
        shutil.rmtree(page)
