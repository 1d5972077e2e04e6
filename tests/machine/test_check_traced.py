"""`latitude check` on a real program that one function makes slower."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from latitude import Analysis, Network, analyze, load
from latitude.analysis.demands import no_worse
from latitude.analysis.over_runs import over_runs
from support.command import Run
from support.mpi.tracing import Tracing
from support.paths import DATA

NETWORK = ("--L", "1us", "--o", "0.1us", "--G", "0.1ns")
MARGIN = ("--margin", "0.5%")
"""Of single runs: computation by the thread's own clock does not vary."""
RUNS, TRIALS = 9, 20


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
    assert data["baseline"]["T_ns"] - half["T_ns"] == pytest.approx(0.2e9, rel=0.1)
    assert half["scaled_ns"] >= 2 * 0.4e9
    for name in ("before", "after"):
        same = traces[name]
        assert latitude("check", same, "--not-worse-than", same, *NETWORK).returncode == 0


def test_runs_of_one_binary_raise_no_alarm_and_3_percent_are_named(
    tracing: Tracing, tmp_path: Path
) -> None:
    """Twenty times three runs against three others, drawn from those recorded, by CPU time."""
    tracing.options = ["--clock", "cpu"]
    program = tracing.mpi.program(str(DATA / "check" / "two_functions.c"))
    network = Network.parse({"L": "1us", "o": "0.1us", "G": "0.1ns"})
    recorded: dict[str, list[Analysis]] = {"1": [], "1.03": []}
    for factor, analyses in recorded.items():
        for number in range(RUNS):
            done = tracing.left(2, program, factor, "0.05")
            assert done.returncode == 0, done.stderr
            trace = shutil.move(tracing.run, tmp_path / f"{factor}-{number}")
            analyses.append(analyze(load(trace), network))
    random = np.random.default_rng(1)
    quiet = named = 0
    for _ in range(TRIALS):
        first, *_ = drawn = random.permutation(RUNS).reshape(-1, 3).tolist()
        before, same = (over_runs([recorded["1"][i] for i in each], "abc") for each in drawn[:2])
        slower = over_runs([recorded["1.03"][i] for i in first], "abc")
        quiet += all(verdict.holds for verdict in no_worse(same, before))
        named += "relax" in {each.where for each in no_worse(slower, before) if not each.holds}
    assert quiet >= TRIALS - 1
    assert named >= TRIALS - 1
