"""A 430 MB text trace to the full result, on 2 cores."""

import json
import sys
from pathlib import Path

from harness import Report, median
from harness import run as run_process
from inputs import TRACES, Inputs

LONG_TRACES = {"BIG-npb-lu.A-8": 8, "hpcg-8-n8": 18}
"""Times each is repeated to reach 430 MB; the first has 1e7 graph vertices then."""


def run(inputs: Inputs, report: Report, runs: int) -> None:
    for name, repeat in LONG_TRACES.items():
        case = f"Trace to full result, 2 cores · {name} ×{repeat}"
        if (TRACES / f"{name}.tar.xz").exists():
            _measure(inputs.trace(name, repeat), case, report, runs)
        else:
            report.say(case, "no ../shared/traces")


def _measure(paths: list[str], case: str, report: Report, runs: int) -> None:
    listing = Path(paths[0]).parent / "ranks.json"
    child = str(Path(__file__).parent / "full_result.py")
    results, walls = [], []
    for _ in range(runs):
        done = run_process([sys.executable, child, str(listing)])
        walls.append(done.wall)
        results.append(json.loads(done.output))
    size = sum(Path(path).stat().st_size for path in paths)
    first = results[0]
    report.say(
        case,
        f"{size / 1e6:.0f} MB, {first['events']:,} calls, {first['vertices']:,} vertices, "
        f"{first['messages']:,} messages, {first['critical']:,} critical latencies",
    )
    for stage in first["stages"]:
        samples = [result["stages"][stage] for result in results]
        report.add(case, stage, median(samples), "s", samples=samples)
    whole = [result["seconds"] for result in results]
    report.add(case, "trace to full result", median(whole), "s", at_most=4.0, samples=whole)
    cpu = [result["cpu_seconds"] for result in results]
    report.add(case, "… CPU time of both cores", median(cpu), "s", samples=cpu)
    report.add(case, "… the whole process, with Python's start", median(walls), "s", samples=walls)
    peak = [result["peak_bytes"] / 1e9 for result in results]
    report.add(case, "peak memory", max(peak), "GB", at_most=1.5, samples=peak)
