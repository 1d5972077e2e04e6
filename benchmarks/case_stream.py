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
FOLLOWS = os.environ.get("LATITUDE_STREAM_PATH", "1") != "0"
"""Whether the critical path is followed, too; without, as with --no-path."""
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
    child = [sys.executable, str(Path(__file__).parent / "streamed_result.py"), str(folder)]
    results = []
    for _ in range(runs):
        done = run_process(child if FOLLOWS else [*child, "--no-path"])
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
    passes = len(first["passes"])
    report.add(case, "passes for T, λ, tolerances and curve", passes, "")
    for clock, name in enumerate(("CPU", "wall")):
        all_passes = [sum(one[clock] for one in result["passes"]) for result in results]
        each = [1e9 * seconds / passes / made.calls for seconds in all_passes]
        limit = 200 if name == "wall" else None
        report.add(case, f"these, {name} time", median(all_passes), "s", samples=all_passes)
        what = f"per call and pass of these, {name} time"
        report.add(case, what, median(each), "ns", at_most=limit, samples=each)
        if FOLLOWS:
            path = [result["path"][clock] for result in results]
            each = [1e9 * seconds / made.calls for seconds in path]
            report.add(case, f"critical path's pass, {name} time", median(path), "s", samples=path)
            what = f"per call of the critical path's pass, {name} time"
            report.add(case, what, median(each), "ns", samples=each)
    if FOLLOWS:
        report.add(case, "stretches of paths held", first["paths_held"], "")
    peak = [result["peak_bytes"] / 1e9 for result in results]
    report.add(case, "peak memory", max(peak), "GB", at_most=2.1, samples=peak)
