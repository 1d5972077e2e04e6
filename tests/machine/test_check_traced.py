"""`latitude check` on a real program that one function makes slower."""

import json
import shutil
from pathlib import Path

import pytest

from support.command import Run
from support.mpi.tracing import Tracing
from support.paths import DATA

NETWORK = ("--L", "1us", "--o", "0.1us", "--G", "0.1ns")


def test_one_percent_in_one_function_is_found_and_named(
    latitude: Run, tracing: Tracing, tmp_path: Path
) -> None:
    """From traces and from results; a run is no worse than itself."""
    tracing.options = ["--clock", "cpu"]
    program = tracing.mpi.program(str(DATA / "check" / "two_functions.c"))
    traces = {}
    for name, factor in (("before", "1"), ("after", "1.01")):
        done = tracing.left(2, program, factor)
        assert done.returncode == 0, done.stderr
        traces[name] = shutil.move(tracing.run, tmp_path / name)
        done = latitude("analyze", traces[name], *NETWORK, "--json", tmp_path / f"{name}.json")
        assert done.returncode == 0, done.stderr
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    for new, old in ((after, before), (traces["after"], before), (after, traces["before"])):
        done = latitude(
            "check", new, "--not-worse-than", old, *NETWORK, "--json", "-", "--force",
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
    assert data["baseline"]["T_ns"] - half["T_ns"] == pytest.approx(0.2e9, rel=0.1)
    assert half["scaled_ns"] >= 2 * 0.4e9
    for name in ("before", "after"):
        same = traces[name]
        assert latitude("check", same, "--not-worse-than", same, *NETWORK).returncode == 0
