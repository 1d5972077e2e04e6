"""A 430 MB text trace of 1e7 graph vertices to the full result, on 2 cores."""

import json
import sys
from pathlib import Path

from harness import Report, median
from harness import run as run_process
from inputs import TRACES, Inputs

NAME, REPEAT = "BIG-npb-lu.A-8", 8


def run(inputs: Inputs, report: Report, runs: int) -> None:
    case = f"Trace to full result, 2 cores · {NAME} ×{REPEAT}"
    if not (TRACES / f"{NAME}.tar.xz").exists():
        report.say(case, "no ../shared/traces")
        return
    paths = inputs.trace(NAME, REPEAT)
    listing = Path(paths[0]).parent / "ranks.json"
    child = str(Path(__file__).parent / "full_result.py")
    results, walls = [], []
    for _ in range(runs):
        wall, output = run_process([sys.executable, child, str(listing)])
        walls.append(wall)
        results.append(json.loads(output))
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
    report.add(case, "… the whole process, with Python's start", median(walls), "s", samples=walls)
    peak = [result["peak_bytes"] / 1e9 for result in results]
    report.add(case, "peak memory", max(peak), "GB", at_most=1.5, samples=peak)
