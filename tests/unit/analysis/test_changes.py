"""Changes are told from what two runs of one program differ anyway; what moved, from what grew."""

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

import latitude
from latitude import Analysis, Network
from latitude.analysis.changes import Changes
from latitude.analysis.demands import no_worse
from latitude.analysis.over_runs import over_runs, runs_of
from latitude.render.documents.analysis import analysis_document
from latitude.render.documents.difference import difference_document
from latitude.results.over_runs import Spread
from support.two_calls import two_calls

NETWORK = Network.parse({"L": "1us", "o": "500ns", "G": "0.1ns", "S": "64KiB"})
TRIALS = 20
FIRST, SECOND = 40_000, 60_000
"""µs before MPI_Send, and before MPI_Barrier."""
NOISE = 0.003
"""Standard deviation of a run's speed, and of each function's in it."""


def runs(
    folder: Path, random: np.random.Generator, first: float = FIRST, second: float = SECOND
) -> Analysis:
    """Three runs whose functions take so long, but for noise."""
    analyses = []
    for number in range(3):
        run, one, other = 1 + NOISE * random.standard_normal(3)
        computed = round(first * run * one), round(second * run * other)
        trace = two_calls(folder / str(number), *computed)
        analyses.append(latitude.analyze(latitude.load(trace), NETWORK, each_call=True))
    return over_runs(analyses, [str(number) for number in range(3)])


def alarms(before: Analysis, after: Analysis) -> list[str | None]:
    return [verdict.where for verdict in no_worse(after, before) if not verdict.holds]


def test_two_runs_of_one_program_raise_no_alarm_and_3_percent_are_named(tmp_path: Path) -> None:
    random = np.random.default_rng(20261127)
    quiet = named = 0
    for trial in range(TRIALS):
        before, same, slower = (
            runs(tmp_path / f"{trial}-{name}", random, first)
            for name, first in (("a", FIRST), ("b", FIRST), ("c", 1.03 * FIRST))
        )
        judged = latitude.diff(before, same).judged
        quiet += not alarms(before, same) and not judged.changed and not judged.functions
        found = [each.name for each in latitude.diff(before, slower).judged.functions]
        named += "MPI_Send" in alarms(before, slower) and found == ["MPI_Send"]
    assert quiet >= TRIALS - 1
    assert named >= TRIALS - 1


def test_a_change_within_the_spread_is_said_to_be_none(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    before, after = (runs(tmp_path / name, random) for name in "ab")
    document = difference_document(latitude.diff(before, after))
    assert document.headline.startswith("T did not change beyond the spread of runs: A takes ")
    assert document.answer[0] == ("No function's computation changed beyond the spread of runs.")


def test_computation_that_moved_to_the_next_call_is_no_function_that_became_slower(
    tmp_path: Path,
) -> None:
    random = np.random.default_rng(2)
    before = runs(tmp_path / "a", random, FIRST, SECOND)
    moved = runs(tmp_path / "b", random, 0.1 * FIRST, SECOND + 0.9 * FIRST)
    assert not [each for each in no_worse(moved, before) if not each.holds]
    (verdict,) = (each for each in no_worse(moved, before) if each.name == "computation")
    assert verdict.found.startswith("computation moved, and did not grow: ")
    difference = latitude.diff(before, moved)
    assert {each.name: each.moved for each in difference.judged.functions} == {
        "MPI_Send": True,
        "MPI_Barrier": True,
    }
    assert "moved between functions: " in difference_document(difference).answer[0]


def test_of_single_runs_nothing_is_told_below_5_percent(tmp_path: Path) -> None:
    def one(name: str, first: int) -> Analysis:
        return latitude.analyze(latitude.load(two_calls(tmp_path / name, first, SECOND)), NETWORK)

    before = one("a", FIRST)
    assert alarms(before, one("b", round(1.04 * FIRST))) == []
    assert "MPI_Send" in alarms(before, one("c", round(1.5 * FIRST)))
    codes = {notice.code for notice in latitude.diff(before, one("d", FIRST)).warnings}
    assert "spread-unknown" in codes


def test_runs_lie_above_others_by_more_than_the_wider_range() -> None:
    wide = Spread.of([1.0, 3.0, 6.0])
    assert not Spread.of([10.0, 10.5, 11.0]).above(wide)
    assert not wide.above(Spread.of([-3.0, -2.5, -2.0]))
    assert Spread.of([11.5, 12.0, 12.5]).above(wide)


def test_stored_runs_are_added_to_others(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    first, second = (runs(tmp_path / name, random) for name in "ab")
    both = over_runs([first, second], ["a", "b"])
    assert both.T_ns == min(first.T_ns, second.T_ns)
    assert runs_of(both).T_ns.values == runs_of(first).T_ns.values + runs_of(second).T_ns.values
    assert runs_of(both).T_ns.values[runs_of(both).shown] == both.T_ns
    kept = tmp_path / "analysis.json"
    kept.write_text(both.to_json(), encoding="utf-8")
    assert not latitude.diff(kept, both).judged.functions


def test_analyses_that_were_asked_for_other_tolerances_are_refused(tmp_path: Path) -> None:
    trace = latitude.load(two_calls(tmp_path / "a", FIRST, SECOND))
    several = [latitude.analyze(trace, NETWORK, tolerance=(share,)) for share in (0.01, 0.02)]
    with pytest.raises(latitude.InputError, match="has other tolerances"):
        over_runs(several, ["a", "b"])


def test_a_function_that_only_one_side_has_counts_as_nothing_on_the_other(tmp_path: Path) -> None:
    before = runs(tmp_path / "a", np.random.default_rng(4))
    kept = runs_of(before)
    less = replace(kept, computation={"MPI_Barrier": kept.computation["MPI_Barrier"]})
    changes = Changes.of(replace(before, over_runs=less), before)
    assert [each.name for each in changes.slower] == ["MPI_Send"]
    assert changes.slower[0].before == Spread.of([0.0] * 3)


def test_the_headline_has_the_least_and_the_most_tolerance_of_several_runs(tmp_path: Path) -> None:
    several = runs(tmp_path / "a", np.random.default_rng(5))
    (first, *_) = runs_of(several).delta
    low, high = (several.theta.difference(value, 3) for value in (first.low, first.high))
    assert low != high
    said = analysis_document(several).headline
    assert said.startswith("This program tolerates ")
    assert f" to {high} of extra network latency before it runs 1% slower" in said
    assert low.split(" ")[0] in said
