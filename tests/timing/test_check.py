"""Small differences that `latitude check` finds between runs, by each thread's own clock.

A machine's host may take a processor away while that clock runs on: then a run cannot tell.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from latitude import Analysis, Network, analyze, load
from latitude.analysis.demands import no_worse
from latitude.analysis.over_runs import over_runs
from support.mpi.library import openmpi
from support.mpi.outcome import succeeded
from support.mpi.tracing import Tracing
from support.paths import DATA
from support.timing import SHARP, Machine

NETWORK = Network.parse({"L": "1us", "o": "0.1us", "G": "0.1ns"})
MARGIN = 0.005
"""Margin for single runs."""
RUNS = 3


class Recording:
    """Runs of the program with two functions."""

    def __init__(self, builds: Path, folder: Path) -> None:
        self._tracing = Tracing(openmpi(builds).needed(), folder, ["--clock", "cpu"])
        self._program = self._tracing.mpi.program(str(DATA / "check" / "two_functions.c"))

    def analysis(self, slower: float, seconds: float) -> Analysis:
        """A run in which relax computes this many times longer than smooth."""
        succeeded(self._tracing.left(2, self._program, slower, seconds))
        found = analyze(load(self._tracing.run), NETWORK)
        shutil.rmtree(self._tracing.run)
        return found


@pytest.fixture
def recording(builds: Path, tmp_path: Path) -> Recording:
    """Recording with Open MPI."""
    return Recording(builds, tmp_path)


def named(new: Analysis, old: Analysis, margin: float | None = None) -> set[str | None]:
    """Places at which computation is worse."""
    verdicts = no_worse(new, old, margin)
    return {each.where for each in verdicts if each.name == "computation" and not each.holds}


def test_one_percent_in_one_function_is_found_in_single_runs(
    machine: Machine, recording: Recording
) -> None:
    """Found: no function, another one, or both."""

    def block() -> Mapping[str, float]:
        before, after = recording.analysis(1, 0.4), recording.analysis(1.01, 0.4)
        return {"wrong": named(after, before, MARGIN) != {"relax"}}

    machine.holds(block, {"wrong": (0, 0)}, stray=SHARP)


def test_three_runs_raise_no_alarm_and_3_percent_are_named(
    machine: Machine, recording: Recording
) -> None:
    """Found: an alarm between runs of one program, or none where relax computes 3 % longer."""

    def block() -> Mapping[str, float]:
        before, same, slower = (
            over_runs([recording.analysis(factor, 0.05) for _ in range(RUNS)], "abc")
            for factor in (1, 1, 1.03)
        )
        alarm = not all(each.holds for each in no_worse(same, before))
        return {"alarm": alarm, "unnamed": "relax" not in named(slower, before)}

    machine.holds(block, {"alarm": (0, 0), "unnamed": (0, 0)}, stray=SHARP)
