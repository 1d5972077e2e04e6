"""The suites of [U] on campaigns whose truth is known."""

import math

import numpy as np
import pandas as pd
import pytest

from latitude import InputError
from latitude.lab.campaign.suites import analyse
from latitude.lab.campaign.suites.notices import pivotal
from latitude.lab.documents.campaign import campaign_document
from latitude.lab.results.campaign import MEAN, OPEN, SPREAD, CampaignAnalysis, CampaignProgram
from latitude.render.html.page import page
from latitude.results.runs import SWEEP
from support.schemas import document
from support.synthetic_campaign import MADE, Asked, Maker, Model, design, loads, sweep

SPREADS = Model("halo", a=800, b=2500)
MEANS = Model("cg", base_ns=2e9, a=3000, b=300)
NEITHER = Model("ep")


def study_of(result: CampaignAnalysis, name: str) -> CampaignProgram:
    return next(study for study in result.programs if study.name == name)


@pytest.fixture(scope="module")
def result() -> CampaignAnalysis:
    return analyse(Maker(repetitions=6).runs([SPREADS, MEANS, NEITHER], design()), MADE)


def test_what_matters_is_recovered(result: CampaignAnalysis) -> None:
    answers = {program.name: program.answer.closer_with for program in result.programs}
    assert answers == {"halo": SPREAD, "cg": MEAN, "ep": OPEN}
    for model in (SPREADS, MEANS):
        plane = study_of(result, model.name).plane
        assert plane is not None
        assert plane.per_mean == pytest.approx(model.a, abs=1.5 * plane.mean_half)
        assert plane.per_std == pytest.approx(model.b, abs=1.5 * plane.std_half)
        assert plane.mean_half < 0.1 * max(model.a, model.b)
        assert plane.r_squared > 0.99


def test_costs_at_one_mean_are_those_of_the_model(result: CampaignAnalysis) -> None:
    study = study_of(result, "halo")
    assert [costs.at.mean_ns for costs in study.costs] == [10e3, 20e3, 40e3, 80e3]
    costs = study.costs[-1]
    mean, spread = 1 + 800 * 80e3 / 1e9, (1e9 + 800 * 80e3 + 2500 * 160e3) / (1e9 + 800 * 80e3)
    assert costs.mean is not None
    assert costs.mean.low < mean < costs.mean.high
    assert costs.spread.low < spread < costs.spread.high
    assert costs.spread.factor == pytest.approx(spread, rel=0.005)
    assert costs.excess is not None
    assert costs.excess.factor == pytest.approx(spread / mean, rel=0.01)
    assert costs.excess.p < 1e-6


def test_a_program_that_latency_leaves_alone_gets_no_answer(result: CampaignAnalysis) -> None:
    study, verdict = study_of(result, "ep"), result.programs[1].answer
    assert (study.name, verdict.closer_with) == (result.programs[1].name, OPEN)
    assert "not seen to follow either" in verdict.reason
    assert "cannot say" in verdict.text
    costs = study.costs[-1]
    assert costs.mean is not None
    assert costs.mean.low < 1 < costs.mean.high


def test_a_row_of_table_four_is_that_of_stats_correlate(result: CampaignAnalysis) -> None:
    study, runs = study_of(result, "halo"), result.runs
    chosen = runs[(runs["program"] == "halo") & (runs["kind"] != "none")]
    found = study.over_runs
    assert found is not None
    assert found.fisher is not None
    r_mean = np.corrcoef(chosen["asked_mean_ns"], chosen["runtime_ns"])[0, 1]
    r_std = np.corrcoef(chosen["asked_sd_ns"], chosen["runtime_ns"])[0, 1]
    assert (found.n, study.over_levels.n if study.over_levels else 0) == (96, 16)
    assert found.mean.r == pytest.approx(r_mean, abs=1e-12)
    assert found.std.r == pytest.approx(r_std, abs=1e-12)
    z = (math.atanh(r_mean) - math.atanh(r_std)) / math.sqrt(2 / 93)
    assert found.fisher.z == pytest.approx(z)


def test_levels_of_one_mean_stand_side_by_side(result: CampaignAnalysis) -> None:
    steps = [step for step in result.steps if step.program == "halo"]
    assert len(steps) == 4 * 3
    for step in steps:
        test = step.mann_whitney
        assert test is not None
        assert test.p is not None
        assert (step.against[-6:], test.larger) == ("sd 0us", 1)
        assert test.p.p <= test.p.bh <= test.p.holm
        assert test.p.bh < 0.05


def test_one_mean_alone_cannot_be_set_against_variation() -> None:
    found = analyse(Maker().runs([SPREADS], design(means=[40e3])), MADE)
    study, verdict = found.programs[0], found.programs[0].answer
    assert study.over_runs is None
    assert study.plane is None
    assert (verdict.closer_with, verdict.reason) == (
        OPEN,
        "all levels have one mean; it takes two or more",
    )
    assert study.costs[0].spread.low > 1


def test_a_few_noisy_levels_do_not_tell() -> None:
    model = Model("halo", a=1000, b=1000, noise=0.01)
    found = analyse(Maker(3).runs([model], design(means=[20e3, 40e3], sds=[0, 1])), MADE)
    assert found.programs[0].answer.closer_with == OPEN
    assert "too close to tell apart" in found.programs[0].answer.reason


@pytest.mark.thorough
def test_verdicts_are_rarely_wrong_where_mean_and_variation_cost_alike() -> None:
    wrong = 0
    for seed in range(30):
        runs = Maker(3, seed).runs(
            [Model("even", a=2000, b=1200, noise=0.1)], design(sds=(0, 1, 2))
        )
        wrong += analyse(runs, MADE).programs[0].answer.closer_with != OPEN
    assert wrong <= 5


def test_achieved_latency_stands_beside_what_was_asked_for() -> None:
    runs = Maker().runs([SPREADS], design())
    study = analyse(runs, MADE).programs[0]
    chosen = runs[runs["kind"] != "none"]
    found = study.over_runs_as_achieved
    assert found is not None
    r = np.corrcoef(chosen["achieved_sd_ns"], chosen["runtime_ns"])[0, 1]
    assert found.std.r == pytest.approx(r, abs=1e-12)
    unknown = analyse(Maker(achieved=False).runs([SPREADS], design()), MADE)
    assert unknown.achieved_share == 0
    assert unknown.programs[0].over_runs is not None
    assert unknown.programs[0].over_runs_as_achieved is None
    assert "the runs do not say" in " ".join(map(str, campaign_document(unknown).closing))


def test_a_verdict_needs_means_that_were_equal_or_the_same_answer_by_what_they_were() -> None:
    runs = Maker().runs([SPREADS], design())
    known = analyse(runs, MADE).programs[0]
    assert known.answer.closer_with == SPREAD
    assert "variation costs more" in known.answer.text
    runs["achieved_mean_ns"] = runs["runtime_ns"] / 1e4
    found = analyse(runs, MADE)
    answer = found.programs[0].answer
    assert answer.closer_with == OPEN
    assert "messages had means of " in answer.reason
    assert "instead of 80 µs, and with the latency that messages had" in answer.reason
    assert "which costs more, because messages had means of" in answer.text
    assert "variation costs more" not in " ".join(map(str, campaign_document(found).answer))
    told = next(w for w in found.warnings if w.code == "achieved-and-asked-differ")
    assert "halo (r_mean 1.00" in told.message


def test_means_that_were_not_equal_leave_an_answer_that_holds_for_them_too() -> None:
    runs = Maker().runs([SPREADS], design())
    runs["achieved_mean_ns"] *= np.where(runs["achieved_sd_ns"] > runs["asked_mean_ns"], 1.2, 1)
    study = analyse(runs, MADE).programs[0]
    assert not study.study.means[-1].even
    assert study.answer.closer_with == SPREAD


def test_the_headline_is_of_medians_with_the_ends() -> None:
    """One of three runs took twice as long; by means another level would be the slowest."""
    runs = Maker(3).runs([Model("lu", base_ns=63e6)], sweep([1e5, 2e5]))
    runs["runtime_ns"] = 63e6
    runs.loc[runs["level"] == "100us", "runtime_ns"] = [168e6, 172e6, 356e6]
    runs.loc[runs["level"] == "200us", "runtime_ns"] = [180e6, 181e6, 182e6]
    found = analyse(runs, MADE)
    said = campaign_document(found)
    slow = {level.level: level.slowdown for level in found.programs[0].levels}
    assert slow["100us"] == pytest.approx(172 / 63 - 1)
    assert said.headline == ("lu becomes 187% slower (median of 3 runs: 186% to 189%) at 200us.")
    wild = analyse(runs[runs["level"] != "200us"], MADE)
    assert campaign_document(wild).headline == (
        "lu becomes 173% slower (median of 3 runs: 167% to 465%) at 100us."
    )


def test_a_sweep_gives_the_slope_and_its_interval() -> None:
    found = analyse(Maker(4).runs([Model("lu", a=600)], sweep([250e3, 500e3, 1e6])), MADE)
    line = found.programs[0].against_delta_L
    assert line is not None
    assert line.slope_low < 600 < line.slope_high
    assert line.slope == pytest.approx(600, rel=0.03)
    assert found.programs[0].against_mean is None


def test_slowdowns_are_against_the_idle_injector_where_it_was_run() -> None:
    levels = [Asked("0us", SWEEP), *design()]
    runs = Maker(5).runs([SPREADS], levels)
    runs.loc[runs["level"] == "none", "runtime_ns"] *= 0.9
    study = analyse(runs, MADE).programs[0]
    assert study.injector is not None
    assert study.injector.low < 1 / 0.9 < study.injector.high
    assert study.reference_ns == pytest.approx(1e9, rel=0.005)
    assert (len(study.study.design), study.study.swept) == (16, [])
    assert study.injector.factor == pytest.approx(1 / 0.9, rel=0.01)


def test_loads_are_runtime_against_load() -> None:
    found = analyse(Maker(4, per_load_ns=5e8).runs([Model("lu")], loads([0.2, 0.5, 0.8])), MADE)
    study = found.programs[0].study
    assert [load for load, _ in study.loads] == [0, 0.2, 0.5, 0.8]
    assert study.times(study.loads[-1][1]) == pytest.approx(1.4, rel=0.01)
    assert "40." in campaign_document(found).headline


def test_drift_and_order_are_seen() -> None:
    calm, drifting = (
        analyse(Maker(5, drift=drift).runs([SPREADS], design()), MADE) for drift in (0.0, 0.05)
    )
    assert calm.drift is not None
    assert drifting.drift is not None
    assert calm.drift.low < 1 < calm.drift.high
    assert drifting.drift.low < 1.05 < drifting.drift.high
    assert [w.code for w in calm.warnings] == []
    assert [w.code for w in drifting.warnings] == ["drift"]
    sorted_runs = analyse(Maker(5, shuffled=False).runs([SPREADS], design()), MADE)
    assert "not-random-order" in [w.code for w in sorted_runs.warnings]


def test_failures_are_counted_listed_and_left_out() -> None:
    runs = Maker(4).runs([SPREADS], design())
    gone = runs.index[(runs["level"] == "80us sd 160us")][:3]
    runs.loc[gone, "status"] = "failed"
    runs.loc[gone, "runtime_ns"] = np.nan
    runs.loc[gone, "error"] = "halo: exit status 1"
    again = runs.loc[gone[:1]].assign(status="ok", runtime_ns=1.4e9, attempt=2, error=None)
    found = analyse(pd.concat([runs, again], ignore_index=True), MADE)
    assert (found.attempts, found.done, found.lost) == (17 * 4 + 1, 17 * 4 - 2, 2)
    assert [failure.mended for failure in found.failures].count(True) == 1
    assert {failure.error for failure in found.failures} == {"halo: exit status 1"}
    level = next(each for each in found.programs[0].levels if each.level == "80us sd 160us")
    assert (level.runs, level.lost, level.few) == (2, 2, True)
    codes = [warning.code for warning in found.warnings]
    assert {"lost-runs", "few-runs"} <= set(codes)
    shown = page(campaign_document(found))
    assert "halo: exit status 1" in shown
    assert "2 (few) of 4" in shown


def test_of_a_repetition_that_ended_well_twice_the_later_attempt_counts() -> None:
    """A campaign was killed after the run, before it had recorded the run's end."""
    runs = Maker(4).runs([SPREADS], design())
    first = runs.index[(runs["level"] == "none")][:1]
    again = runs.loc[first].assign(runtime_ns=1.25e9, attempt=2)
    found = analyse(pd.concat([runs, again], ignore_index=True), MADE)
    level = next(each for each in found.programs[0].levels if each.level == "none")
    assert (level.runs, level.lost) == (4, 0)
    assert 1.25e9 in level.runtime_ns
    assert runs.loc[first[0], "runtime_ns"] not in level.runtime_ns
    assert found.lost == 0


def test_an_outlier_is_named_and_kept() -> None:
    runs = Maker(8).runs([SPREADS], design())
    at = runs.index[runs["level"] == "none"][0]
    runs.loc[at, "runtime_ns"] = 1.3e9
    found = analyse(runs, MADE)
    baseline = next(each for each in found.programs[0].levels if each.kind == "none")
    assert baseline.runs == 8
    assert baseline.runtime_ns[baseline.outlier].tolist() == [1.3e9]
    assert "outliers" in [warning.code for warning in found.warnings]


def test_an_answer_that_hangs_on_one_run_says_so() -> None:
    runs = Maker(3).runs([SPREADS], design())
    assert pivotal(analyse(runs, MADE).programs[0]) == []
    at = runs.index[runs["level"] == "40us sd 20us"][0]
    runs.loc[at, "runtime_ns"] = 4e9
    found = analyse(runs, MADE)
    assert found.programs[0].answer.closer_with == OPEN
    assert [runtime for _, runtime in pivotal(found.programs[0])] == [4e9]
    told = next(w for w in found.warnings if w.code == "hangs-on-one-run")
    assert "halo (a run at 40us sd 20us)" in told.message


def test_latency_that_was_not_achieved_is_told() -> None:
    runs = Maker(4).runs([SPREADS], design())
    runs["achieved_mean_ns"] *= 1.3
    found = analyse(runs, MADE)
    told = next(w for w in found.warnings if w.code == "asked-not-achieved")
    assert "over 10%" in told.message


def test_a_missing_level_is_named() -> None:
    runs = Maker(4).runs([SPREADS, MEANS], design())
    found = analyse(runs[(runs["program"] != "cg") | (runs["level"] != "none")], MADE)
    assert "cg at none" in next(w for w in found.warnings if w.code == "missing-levels").message
    assert study_of(found, "cg").study.baseline is None
    assert study_of(found, "cg").costs[-1].mean is None


def test_two_layers_of_one_program_are_two_rows() -> None:
    runs = Maker(4).runs([SPREADS], design())
    verbs = runs[runs["kind"] != "none"].assign(layer="verbs")
    found = analyse(pd.concat([runs, verbs], ignore_index=True), MADE)
    assert [study.name for study in found.studies] == ["halo, flow", "halo, verbs"]
    assert all(study.baseline is not None for study in found.studies)


def test_numbers_of_ranks_are_told_apart() -> None:
    runs = Maker(4).runs([SPREADS], design())
    found = analyse(pd.concat([runs, runs.assign(ranks=16)], ignore_index=True), MADE)
    assert [study.name for study in found.studies] == ["halo 8", "halo 16"]


def test_nothing_that_ended_well_is_refused_with_the_reason() -> None:
    runs = Maker(1).runs([SPREADS], design()).assign(status="failed", error="no mpirun")
    with pytest.raises(InputError, match="none of 17 runs succeeded; the last says: no mpirun"):
        analyse(runs, MADE)


def test_json_follows_its_schema(result: CampaignAnalysis) -> None:
    runs = Maker(1).runs([SPREADS], sweep([1e6]))
    for each in (result, analyse(runs, MADE)):
        assert document(each.to_json())["schema"] == "latitude.campaign/1"


def test_the_page_says_what_the_runs_say(result: CampaignAnalysis) -> None:
    shown = page(campaign_document(result))
    for text in (
        "more with the mean in 1 (cg)",
        "Suite I: rising latency",
        "Suite II: mean or variation",
        "As Figs. 15 and 16 of Underwood et al.",
        "5.24e-148",
        "How far to trust it",
        "No drift is seen",
    ):
        assert text in shown
    assert "nan" not in shown.split("<script", 1)[0].lower()


def test_csv_is_every_attempt(result: CampaignAnalysis) -> None:
    rows = result.to_csv().splitlines()
    assert len(rows) == 1 + 3 * 17 * 6
    assert rows[0].startswith("run_id,campaign,program,ranks,level")
