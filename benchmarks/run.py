"""All benchmarks: one command, one table, one JSON file with the raw samples.

    python benchmarks/run.py [--only simulator,lp] [--runs 5]

Bars are what the project aims at; a missed one is printed, never an
error.
"""

import argparse
import tempfile
from pathlib import Path

from latitude._core import use_vector_unit, vector_unit, vector_units

import case_analysis
import case_breakpoints
import case_formats
import case_inject
import case_lp
import case_parts
import case_random
import case_ranks
import case_simulator
import case_stream
import case_text
import case_trace
import case_tracer
import case_waits
import case_whatif
from harness import Report, machine
from inputs import Inputs

CASES = {
    "simulator": case_simulator.run,
    "text": case_text.run,
    "lp": case_lp.run,
    "breakpoints": case_breakpoints.run,
    "trace": case_trace.run,
    "analysis": case_analysis.run,
    "ranks": case_ranks.run,
    "formats": case_formats.run,
    "parts": case_parts.run,
    "tracer": case_tracer.run,
    "inject": case_inject.run,
    "random": case_random.run,
    "whatif": case_whatif.run,
    "waits": case_waits.run,
    "stream": case_stream.run,
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Latitude's benchmarks")
    parser.add_argument("--only", default=",".join(CASES), help="cases to run, by comma")
    parser.add_argument("--runs", type=int, default=5, help="repetitions; medians are reported")
    parser.add_argument(
        "--work",
        type=Path,
        default=Path(tempfile.gettempdir()) / "latitude-benchmarks",
        help="directory for made inputs (about 1 GB, kept for the next run)",
    )
    parser.add_argument(
        "--vector-unit",
        choices=vector_units(),
        default=vector_unit(),
        help="the kernels compiled for it (default: the widest here)",
    )
    parser.add_argument("--json", type=Path, help="default: results.json in the --work directory")
    arguments = parser.parse_args()
    chosen = arguments.only.split(",")
    if unknown := set(chosen) - set(CASES):
        parser.error(f"no case {', '.join(sorted(unknown))}; there are {', '.join(CASES)}")

    use_vector_unit(arguments.vector_unit)
    host = machine()
    print(
        f"{host['cpu']}, {host['cores']} cores, load {host['load']:.2f}, "
        f"kernels for {host['vector_unit']}"
    )
    report, inputs = Report(), Inputs(arguments.work)
    for name in chosen:
        CASES[name](inputs, report, arguments.runs)
    report.write(arguments.json or arguments.work / "results.json")


if __name__ == "__main__":
    main()
