"""Histories, correlation and the forecast, on made-up data whose truth is known."""

import math

import numpy as np
import pandas as pd
import pytest

from latitude import InputError
from latitude.lab.cluster.advice import advise, expected_latency
from latitude.lab.cluster.advice.logistic import PRIOR_SD, fit
from latitude.lab.cluster.advice.model import train
from latitude.lab.cluster.advice.score import calibration, score, split
from latitude.lab.cluster.correlate import correlate
from latitude.lab.cluster.history import KEPT, History, build_history
from latitude.lab.cluster.synthetic import SyntheticPlan, synthetic_history
from latitude.lab.results.background import (
    CANNOT_SAY,
    DIFFERENT_ISLANDS,
    NOT_ENOUGH,
    RUN,
    WAIT,
    TailQuestion,
)

BIG = 1048576
START = pd.Timestamp("2026-03-01", tz="UTC")


@pytest.fixture(scope="module")
def history() -> History:
    return build_history([synthetic_history(SyntheticPlan(iterations=300))], "made up")


@pytest.fixture(scope="module")
def idle() -> History:
    """b means nothing here."""
    return build_history([synthetic_history(SyntheticPlan(iterations=20, effect=0.0))], "made up")


def flat(b: list[float], latency: list[float], **labels: object) -> pd.DataFrame:
    """One sample a run."""
    return pd.DataFrame(
        {
            "latency_ns": latency,
            "collective": "reduce",
            "bytes": 8,
            "placement": "same group",
            "b": b,
            "time": [START + pd.Timedelta(hours=i) for i in range(len(b))],
            "source": [f"run{i}" for i in range(len(b))],
            **labels,
        }
    )


def question(b: float, place: str | None = DIFFERENT_ISLANDS) -> TailQuestion:
    return TailQuestion(b=b, collective="reduce", bytes=BIG, placement=place)


@pytest.mark.thorough
def test_runs_are_told_apart(history: History) -> None:
    assert len(history.runs) == 12 * 120
    assert history.runs["samples"].unique().tolist() == [300]
    assert history.runs["time"].is_monotonic_increasing
    assert history.synthetic
    assert history.timed


def test_pieces_of_a_run_are_joined_and_thinned_evenly() -> None:
    values = np.arange(20_000, dtype=np.float64)
    frame = pd.DataFrame({"latency_ns": values, "b": 0.5, "collective": "x"})
    pieces = [frame[i : i + 3000] for i in range(0, len(frame), 3000)]
    found = build_history(pieces, "test")
    assert len(found.runs) == 1
    assert found.runs["samples"].iloc[0] == values.size
    assert found.runs["mean_ns"].iloc[0] == pytest.approx(values.mean())
    assert found.samples[0].size == KEPT
    assert found.samples[0].mean() == pytest.approx(values.mean(), rel=0.05)


def test_b_is_taken_from_watched_samples() -> None:
    frame = flat([0.1, 0.2, 0.3], [1.0, 2.0, 3.0]).drop(columns="b")
    watched = pd.DataFrame(
        {"time": [START + pd.Timedelta("2min"), START + pd.Timedelta("62min")], "b": [0.4, 0.6]}
    )
    found = build_history([frame], "test", watched)
    assert found.runs["b"].tolist() == [0.4, 0.6]  # nothing was watched near the third
    assert found.warnings[0].code == "runs-without-b"


@pytest.mark.parametrize(("b", "advice"), [(np.nan, "no run has a b"), (42.0, "must be divided")])
def test_histories_without_b(b: float, advice: str) -> None:
    with pytest.raises(InputError, match=advice):
        build_history([flat([b], [1.0])], "test")


@pytest.mark.thorough
def test_findings_of_the_paper_can_be_shown(history: History) -> None:
    study = correlate(history)
    assert (study.placement, len(study.panels)) == (DIFFERENT_ISLANDS, 12)
    rho = {(p.collective, p.bytes): p.spearman.r for p in study.panels if p.spearman}
    for collective in ("bcast", "reduce", "alltoall"):  # §5.2: larger sizes follow b more
        assert rho[collective, BIG] > 0.6 > rho[collective, 4]
    low, _, high = (s for s in study.distributions if s.collective == "reduce")
    assert np.quantile(high.samples_ns, 0.99) > 2 * np.quantile(low.samples_ns, 0.99)  # Fig. 5
    assert high.multimodal
    assert not low.multimodal
    assert study.warnings[-1].code == "other-runs"


@pytest.mark.thorough
def test_nothing_is_found_where_there_is_nothing(idle: History) -> None:
    adjusted = [panel.spearman.p_adjusted for panel in correlate(idle).panels if panel.spearman]
    assert min(adjusted) > 0.05


def test_panels_that_cannot_be_computed_say_why() -> None:
    few = build_history([flat([0.1, 0.2], [1.0, 2.0])], "test")
    assert correlate(few).panels[0].reason == "only 2 runs"
    still = build_history([flat([0.5] * 9, list(range(9)))], "test")
    reason = correlate(still).panels[0].reason
    assert reason is not None
    assert "constant" in reason
    with pytest.raises(InputError, match="no runs with placement 'moon'"):
        correlate(still, placement="moon")


def test_logistic_regression_finds_the_weights() -> None:
    random = np.random.default_rng(1)
    x = random.normal(size=(20_000, 2))
    y = (random.random(20_000) < 1 / (1 + np.exp(1 - 0.8 * x[:, 0]))).astype(float)
    found = fit(x, y)
    assert found.weights == pytest.approx([-1, 0.8, 0], abs=0.06)
    assert found.odds_ratio(0, 1.0) == pytest.approx(np.exp(0.8), rel=0.06)
    assert np.sqrt(np.diag(found.covariance)) == pytest.approx([0.02, 0.02, 0.02], abs=0.01)
    low, high = found.interval(np.zeros((1, 2)))
    assert low[0] < 1 / (1 + math.e) < high[0]


def test_separated_runs_keep_finite_slopes() -> None:
    x = np.linspace(0, 1, 40)[:, None]
    found = fit(x, (x[:, 0] > 0.5).astype(float))
    assert 0 < found.weights[1] < 4 * PRIOR_SD


@pytest.mark.thorough
def test_probabilities_are_those_the_runs_were_made_with() -> None:
    """Truth: a run is slow with probability 0.4·b², whatever else."""
    random = np.random.default_rng(3)
    b = random.random(6000)
    slow = random.random(6000) < 0.4 * b**2
    latency = np.where(slow, 10.0, 1.0) * (1 + 0.01 * random.random(6000))
    past = build_history([flat(b.tolist(), latency.tolist())], "test")
    found = advise(past, TailQuestion(b=0.9, collective="reduce", bytes=8))
    assert found.forecast is not None
    assert found.forecast.probability == pytest.approx(0.4 * 0.81, abs=0.06)
    for each in found.forecast.score.calibration:
        assert each.low - 0.02 <= each.forecast <= each.high + 0.02


def test_the_future_is_not_known_when_it_is_forecast(history: History) -> None:
    older, newer = split(history.runs)
    assert older["time"].max() < newer["time"].min()
    assert len(older) / len(history.runs) == pytest.approx(0.7, abs=0.01)
    changed = newer.assign(mean_ns=newer["mean_ns"] * 100)
    mine, theirs = score(older, newer, 0.3), score(older, changed, 0.3)
    assert mine is not None
    assert theirs is not None
    assert mine.mean_forecast == pytest.approx(theirs.mean_forecast)
    assert mine.tail_tested < theirs.tail_tested


def test_the_forecast_beats_the_base_rates(history: History) -> None:
    found = score(*split(history.runs), 0.3)
    assert found is not None
    assert found.useful
    assert found.brier < found.brier_placement < found.brier_base
    assert (found.precision or 0) > 0.3
    assert (found.recall or 0) > 0.6
    assert found.mean_forecast == pytest.approx(found.tail_tested / found.tested, abs=0.08)


def test_the_score_by_hand() -> None:
    forecast = np.array([0.02, 0.03, 0.6, 0.7])
    low, high = calibration(forecast, np.array([0.0, 1.0, 1.0, 1.0]))
    assert (low.runs, low.forecast, low.seen) == (2, pytest.approx(0.025), 0.5)
    assert (high.runs, high.seen, high.high) == (2, 1.0, 1.0)


def test_run_or_wait(history: History) -> None:
    calm, busy = advise(history, question(0.25)), advise(history, question(0.72))
    assert (calm.answer, busy.answer) == (RUN, WAIT)
    assert calm.forecast is not None
    assert busy.forecast is not None
    assert calm.forecast.probability < 0.15
    assert busy.forecast.probability > 0.5
    assert 0.3 < (busy.forecast.wait_until_b or 0) < 0.7
    assert any("At b of" in text for text in busy.reasons)
    anywhere = advise(history, question(0.72, None))
    assert anywhere.forecast is not None
    assert anywhere.forecast.probability < busy.forecast.probability
    near = advise(history, question(0.6, "same group"))
    assert near.answer == RUN


@pytest.mark.thorough
def test_no_advice_where_b_says_nothing(idle: History) -> None:
    found = advise(idle, question(0.5))
    assert found.answer == CANNOT_SAY
    assert "no better than chance" in found.reasons[-1]


@pytest.mark.parametrize(
    ("asked", "missing"),
    [
        (TailQuestion(b=0.5, collective="barrier", bytes=0), "barrier: 0 runs of at least 20"),
        (
            TailQuestion(b=0.5, collective="reduce", bytes=BIG, placement="the moon"),
            "on the moon: 0 runs of at least 20",
        ),
        (TailQuestion(b=0.99, collective="reduce", bytes=BIG), "runs at b near 0.99"),
    ],
)
def test_what_is_missing_is_said(history: History, asked: TailQuestion, missing: str) -> None:
    found = advise(history, asked)
    assert found.answer == NOT_ENOUGH
    assert missing in found.reasons[0]
    assert found.to_dict()["forecast"] is None


def test_short_histories_are_refused() -> None:
    b, latency = np.linspace(0.2, 0.7, 60), np.arange(60.0) + 1
    asked = TailQuestion(b=0.5, collective="reduce", bytes=8)
    short = build_history([flat(b.tolist(), latency.tolist())], "test")
    assert advise(short, asked).reasons == ("9 runs in the tail of at least 20",)
    untimed = build_history([flat(b.tolist(), latency.tolist()).drop(columns="time")], "test")
    assert "times of the runs" in advise(untimed, asked).reasons[0]
    same = build_history([flat([0.5] * 200, np.arange(200.0).tolist())], "test")
    assert advise(same, asked).reasons == ("runs at another b than 0.50",)


def test_the_model_is_no_larger_than_the_history_allows(history: History) -> None:
    assert train(history.runs).with_size
    assert len(train(history.runs).placements) == 2
    small = train(history.runs[:300])
    assert not small.with_size


def test_expected_latencies_are_those_of_the_nearest_runs(history: History) -> None:
    calm, busy = (expected_latency(history, question(b)) for b in (0.3, 0.7))
    assert calm.runs == busy.runs == 8  # √71
    assert calm.b_high < busy.b_low
    p50, p99 = (calm.quantiles([0.5])[0], calm.quantiles([0.99])[0])
    assert p50 < p99 < busy.quantiles([0.99])[0]
    assert np.mean(calm.samples_ns > p50) == pytest.approx(0.5, abs=0.01)
    assert (np.diff(calm.samples_ns) >= 0).all()
    with pytest.raises(InputError, match="0 past runs of barrier"):
        expected_latency(history, TailQuestion(b=0.5, collective="barrier", bytes=0))


@pytest.mark.parametrize("b", [-0.1, 1.1])
def test_b_is_a_share(b: float) -> None:
    with pytest.raises(InputError, match="not between 0 and 1"):
        TailQuestion(b=b, collective="reduce", bytes=8)
