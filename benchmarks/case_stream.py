"""Traces that are evaluated while they are read: three tolerances, a 16-point curve, the path."""

import json
import os
import sys
from pathlib import Path

from latitude.files.progress import Silent
from latitude.trace.synthetic import SyntheticTrace

from harness import Report, median
from harness import run as run_process
from inputs import Inputs

RANKS = 64
CALLS = int(float(os.environ.get("LATITUDE_STREAM_CALLS", "1e7")))
COMPUTE_NS = 50_000
BYTES = 8192


def run(inputs: Inputs, report: Report, runs: int) -> None:
    for pattern in ("halo", "wavefront"):
        made = SyntheticTrace(pattern, RANKS, CALLS, BYTES, COMPUTE_NS)
        case = f"Evaluated while read, {RANKS} ranks · {pattern}, {made.calls:,} calls"
        folder = inputs.work / f"{pattern}-{RANKS}-{made.calls}"
        if not folder.exists():
            folder.mkdir(parents=True)
            made.write_folder(folder, Silent())
        _measure(made, folder, case, report, runs)


def _measure(made: SyntheticTrace, folder: Path, case: str, report: Report, runs: int) -> None:
    child = str(Path(__file__).parent / "streamed_result.py")
    results = []
    for _ in range(runs):
        done = run_process([sys.executable, child, str(folder)])
        results.append(json.loads(done.output))
    first = results[0]
    L, B, steps = 3000.0, (BYTES - 1) * 0.25, made.steps
    if made.pattern == "halo":
        expected, slope = steps * (COMPUTE_NS + L + B), steps
    else:
        way = first["columns"] + first["rows"] - 2
        expected, slope = steps * COMPUTE_NS + way * (COMPUTE_NS + L + B), way
    exact = (first["T_ns"], first["lambda"]) == (expected, slope)
    report.say(case, f"T and λ {'are' if exact else 'ARE NOT'} those of the closed form")
    passes = first["passes"]
    report.add(case, "passes", passes, "")
    seconds = [result["cpu_seconds"] for result in results]
    report.add(case, "all passes, CPU time", median(seconds), "s", samples=seconds)
    path = [result["path_cpu_seconds"] for result in results]
    others = zip(seconds, path, strict=True)
    each = [1e9 * (s - p) / (passes - 1) / made.calls for s, p in others]
    report.add(case, "per call and pass for T, CPU time", median(each), "ns", samples=each)
    each = [1e9 * p / made.calls for p in path]
    report.add(
        case, "per call of the critical path's pass, CPU time", median(each), "ns", samples=each
    )
    wall = [1e9 * result["wall_seconds"] / passes / made.calls for result in results]
    report.add(case, "per call and pass, wall time", median(wall), "ns", at_most=200, samples=wall)
    peak = [result["peak_bytes"] / 1e9 for result in results]
    report.add(case, "stretches of paths held", first["paths_held"], "")
    report.add(case, "peak memory", max(peak), "GB", at_most=2.1, samples=peak)
