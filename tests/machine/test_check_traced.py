"""`latitude check` on a real program of which one function becomes slower."""

import json
import shutil
from pathlib import Path

from support.command import Run
from support.mpi.tracing import Tracing
from support.paths import DATA

NETWORK = ("--L", "1us", "--o", "0.1us", "--G", "0.1ns")
MARGIN = ("--margin", "25%")
"""Far from what a host that takes a processor away adds to a thread's own time."""
COMPUTED_NS = 0.4e9


def test_a_function_that_computes_twice_as_long_is_found_and_named(
    latitude: Run, tracing: Tracing, tmp_path: Path
) -> None:
    """Traces and results give the same verdict; a run is no worse than itself."""
    tracing.options = ["--clock", "cpu"]
    program = tracing.mpi.program(str(DATA / "check" / "two_functions.c"))
    traces = {}
    for name, factor in (("before", "1"), ("after", "2")):
        done = tracing.left(2, program, factor)
        assert done.returncode == 0, done.stderr
        traces[name] = shutil.move(tracing.run, tmp_path / name)
        done = latitude("analyze", traces[name], *NETWORK, "--json", tmp_path / f"{name}.json")
        assert done.returncode == 0, done.stderr
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    for new, old in ((after, before), (traces["after"], before), (after, traces["before"])):
        done = latitude(
            "check", new, "--not-worse-than", old, *MARGIN, *NETWORK, "--json", "-", "--force",
            "--junit", tmp_path / "junit.xml", "--markdown", tmp_path / "table.md",
        )  # fmt: skip
        assert done.returncode == 1, done.stderr
        failed = [v for v in json.loads(done.stdout)["verdicts"] if not v["holds"]]
        assert {v["where"] for v in failed if v["name"] == "computation"} == {"relax"}
        assert "relax" in (tmp_path / "junit.xml").read_text(encoding="utf-8")
        assert "relax" in (tmp_path / "table.md").read_text(encoding="utf-8")
    done = latitude("analyze", traces["before"], *NETWORK, "--what-if", "relax=0.5", "--json", "-")
    data = json.loads(done.stdout)
    (half,) = data["what_if"]
    saved_ns, scaled_ns = data["baseline"]["T_ns"] - half["T_ns"], half["scaled_ns"]
    # Both ranks compute COMPUTED_NS or more there; T is as long as one of them, which half saves.
    assert scaled_ns >= 2 * COMPUTED_NS
    assert COMPUTED_NS / 2 <= saved_ns <= (scaled_ns - COMPUTED_NS) / 2 + 1
    for name in ("before", "after"):
        same = traces[name]
        assert latitude("check", same, "--not-worse-than", same, *NETWORK).returncode == 0
