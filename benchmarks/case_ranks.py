"""Whole `latitude analyze … -o` processes of programs of many ranks: memory and processor time.

LATITUDE_RANKS=4096 has the size that the bar is for.
"""

import os
import shutil

from harness import Report, analyze, median
from inputs import Inputs

RANKS = int(os.environ.get("LATITUDE_RANKS", "1024"))
BAR_RANKS = 4096
STEPS = {"one MPI_Alltoall": 0, "125 steps of halo and three collectives": 125}


def run(inputs: Inputs, report: Report, runs: int) -> None:
    for what, steps in STEPS.items():
        trace = inputs.all_to_all(RANKS, steps)
        page = inputs.work / "ranks"
        case = f"Many ranks to page · {what}, {RANKS:,} ranks"
        ended, peaks = zip(*(analyze(trace, page) for _ in range(runs)), strict=True)
        peak = [each / 2**30 for each in peaks]
        bar = 4 if RANKS == BAR_RANKS else None
        report.add(case, "most memory", max(peak), "GiB", at_most=bar, samples=peak)
        if not steps:
            per_message = max(peak) * 2**30 / (RANKS * (RANKS - 1))
            report.add(case, "… per message", per_message, "bytes")
        cpu = [each.cpu for each in ended]
        report.add(case, "processor time", median(cpu), "s", samples=cpu)
        size = (page / "report.html").stat().st_size / 1e6
        report.add(case, "page", size, "MB")
        shutil.rmtree(page)
