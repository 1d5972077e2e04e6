"""Whole `latitude analyze … -o` processes, from a trace to its page: processor time and memory."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from harness import Report, median
from inputs import Inputs

TRACES = {"halo": 2, "wavefront": 64}
"""Patterns of `latitude synthesize`, and ranks."""
CALLS = 10_000_000


@dataclass(frozen=True)
class _Ended:
    user_s: float
    system_s: float
    peak_bytes: int


def run(inputs: Inputs, report: Report, runs: int) -> None:
    for pattern, ranks in TRACES.items():
        trace = inputs.synthetic(pattern, ranks, CALLS)
        page = inputs.work / "analysis"
        case = f"Files to page · {pattern}, {ranks} ranks, {CALLS / 1e6:g} million calls"
        ended = [_analyze(trace, page) for _ in range(runs)]
        cpu = [each.user_s + each.system_s for each in ended]
        system = median([each.system_s for each in ended])
        report.add(
            case,
            "processor time, two threads where it has some",
            median(cpu),
            "s",
            at_most=10,
            note=f"{system:.1f} s of it the system's",
            samples=cpu,
        )
        peak = [each.peak_bytes / 1e9 for each in ended]
        report.add(case, "most memory", max(peak), "GB", at_most=1.2, samples=peak)
        report.add(case, "… per call", max(peak) * 1e9 / CALLS, "bytes")
        size = sum(file.stat().st_size for file in page.rglob("*") if file.is_file()) / 1e6
        report.add(case, "page and files", size, "MB")
        shutil.rmtree(page)


def _analyze(trace: Path, page: Path) -> _Ended:
    command = [sys.executable, "-m", "latitude", "analyze", str(trace), "-o", str(page), "--force"]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit status {child.returncode}")
    return _Ended(used.ru_utime, used.ru_stime, used.ru_maxrss * 1024)
