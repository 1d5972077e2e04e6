"""Intervals hold what they promise, exact cases come out, stopping is what was asked for."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import latitude
from latitude._core import InputError
from latitude.model.network import Network
from latitude.random.forecast import (
    Question,
    Random,
    estimate,
    forecast,
    parse_latency,
    parse_noise,
)
from latitude.random.forecast.critical import CriticalMessages
from latitude.random.forecast.random import compile_random
from latitude.render.documents.forecasts import forecast_document
from latitude.results.forecast import Estimate
from latitude.trace.program import Program
from support.schemas import document
from support.tiers import first_of

GOAL = "num_ranks 2\nrank 0 {\ns: send 1b to 1 tag 0\n}\nrank 1 {\nr: recv 1b from 0 tag 0\n}\n"
QUIET = Network(L=1000.0, o=0.0, G=0.0)


@pytest.fixture(scope="module")
def message(tmp_path_factory: pytest.TempPathFactory) -> Program:
    path = tmp_path_factory.mktemp("goal") / "one.goal"
    path.write_text(GOAL)
    return latitude.load(path)


def test_one_message_has_the_distribution_of_its_table(message: Program) -> None:
    latency = parse_latency("lognormal(mean=5us,sd=5us)")
    result = forecast(message, Random(latency), QUIET, Question(samples=20_000))
    assert set(result.T_ns.tolist()) <= set((latency.values + 1000).tolist())
    assert result.runtime.mean_ns.low <= latency.mean + 1000 <= result.runtime.mean_ns.high
    assert result.runtime.sd_ns.low <= latency.sd <= result.runtime.sd_ns.high
    for found in result.quantiles:
        assert found.low <= latency.quantile(found.probability) + 1000 <= found.high
    assert result.bounds.mean_at_least_ns == pytest.approx(latency.mean + 1000)
    assert result.compared.T0_ns == 1000
    assert result.bounds.never_more_than_ns == latency.values[-1] + 1000


@pytest.mark.parametrize("asked", first_of([0.9998, 0.9999]))
def test_quantiles_beyond_the_table_are_not_known(message: Program, asked: float) -> None:
    """The table's last entry is the mean beyond p99.976, on either side of the true quantile."""
    latency = parse_latency("lognormal(mean=5us,sd=10us)")
    result = forecast(message, Random(latency), QUIET, Question(samples=50_000, quantile=asked))
    truth = float(stats.lognorm.ppf(asked, math.sqrt(math.log(5)), scale=5000 / math.sqrt(5)))
    assert not result.quantile.known
    assert 0.5 * truth < result.quantile.low <= truth + 1000
    assert result.quantile.high == math.inf
    (notice,) = [each for each in result.warnings if each.code == "beyond-table"]
    assert "quantiles of T over p99.976 can be too small" in notice.message
    assert f"p{100 * asked:g} of T is not known" in notice.message
    text = result.to_json()
    assert document(text)["quantiles"][-1]["value"] is None
    page = " ".join(str(row) for row in forecast_document(result).parts)
    assert "not known" in page


def test_what_many_draws_of_a_heavy_tail_hide_is_told(tmp_path: Path) -> None:
    path = tmp_path / "many.goal"
    sends = "".join(f"s{i}: send 1b to 1 tag {i}\n" for i in range(200))
    receives = "".join(f"r{i}: recv 1b from 0 tag {i}\n" for i in range(200))
    path.write_text(f"num_ranks 2\nrank 0 {{\n{sends}}}\nrank 1 {{\n{receives}}}\n")
    program = latitude.load(path)
    heavy, light = (parse_latency(f"lognormal(mean=5us,sd={sd}us)") for sd in (10, 1))
    told = forecast(program, Random(heavy), QUIET, Question(samples=64)).warnings
    (notice,) = [each for each in told if each.code == "beyond-table"]
    assert f"over p{100 * (4095 / 4096) ** 200:.5g} can" in notice.message
    quiet = forecast(program, Random(light), QUIET, Question(samples=64)).warnings
    assert "beyond-table" not in [each.code for each in quiet]


def test_a_constant_latency_has_every_quantile(message: Program) -> None:
    random = Random(parse_latency("constant(7us)"))
    result = forecast(message, random, QUIET, Question(samples=64, quantile=0.9999))
    assert result.quantile.value == 8000
    assert "beyond-table" not in [each.code for each in result.warnings]


def test_the_pair_on_the_critical_path_is_named_as_it_sends(message: Program) -> None:
    latency = parse_latency("constant(7us)")
    (pair,) = forecast(message, Random(latency), QUIET, Question(samples=8)).pairs
    assert (pair.source, pair.destination) == (0, 1)


def test_messages_are_counted_once_however_samples_are_drawn(lulesh: Path) -> None:
    program = latitude.load(lulesh)
    random = Random(parse_latency("lognormal(mean=5us,sd=10us)"))
    dag = compile_random(program.graph, QUIET, random)
    at_once, in_pieces, resumed = (CriticalMessages(program, dag, 1) for _ in range(3))
    T = dag.runtimes(1, 0, 1100)
    assert at_once.runtimes(0, 1100).tolist() == T.tolist()
    pieces = [in_pieces.runtimes(*piece) for piece in [(0, 64), (64, 3), (67, 1000), (1067, 33)]]
    assert np.concatenate(pieces).tolist() == T.tolist()
    assert resumed.runtimes(40, 1060).tolist() == T[40:].tolist()
    assert at_once.found(1100) == in_pieces.found(1100) == resumed.found(1100)
    assert at_once.found(1100)[0].samples == 1024
    few = CriticalMessages(program, dag, 1)
    few.runtimes(0, 10)
    assert few.found(25) == CriticalMessages(program, dag, 1).found(25)


def test_the_whole_latency_stands_in_place_of_L(message: Program) -> None:
    latency = parse_latency("constant(7us)")
    added = forecast(message, Random(latency), QUIET, Question(samples=8))
    total = forecast(message, Random(latency, total=True), QUIET, Question(samples=8))
    assert (added.runtime.mean_ns.value, total.runtime.mean_ns.value) == (8000, 7000)
    assert (added.compared.T0_ns, total.compared.T0_ns) == (1000, 1000)
    assert added.compared.jensen_ns.value == 0


@pytest.mark.parametrize("p", [0.5, 0.95, 0.99])
def test_quantile_intervals_hold_the_quantile_in_95_of_100(p: float) -> None:
    random = np.random.default_rng(1)
    held = 0
    for _ in range(600):
        found = estimate.quantile(np.sort(random.exponential(size=400)), p)
        held += found.low <= -math.log(1 - p) <= found.high
    assert stats.binomtest(held, 600, 0.95, alternative="less").pvalue > 1e-4
    assert estimate.quantile(np.arange(10.0), 0.99).high == math.inf


def test_a_quantile_is_the_least_sample_that_so_many_do_not_exceed() -> None:
    ordered = np.arange(1.0, 11.0)
    found = [estimate.quantile(ordered, p).value for p in (0.05, 0.1, 0.11, 0.5, 0.95, 1.0)]
    assert found == [1, 1, 2, 5, 10, 10]


def test_the_mean_and_spread_of_few_samples_are_uncertain() -> None:
    one = np.array([3.0])
    assert estimate.mean(one) == Estimate(3.0, -math.inf, math.inf)
    assert estimate.spread(one).high == math.inf
    random = np.random.default_rng(1)
    draws = random.normal(5, 2, (400, 100))
    held = [estimate.spread(row).low <= 2 <= estimate.spread(row).high for row in draws]
    assert 0.9 < np.mean(held) < 0.99


def test_sampling_stops_when_the_interval_is_narrow(message: Program) -> None:
    latency = Random(parse_latency("lognormal(mean=5us,sd=5us)"))
    coarse = forecast(message, latency, QUIET, Question(precision=0.2))
    fine = forecast(message, latency, QUIET, Question(precision=0.03))
    assert coarse.samples < fine.samples
    at = fine.quantile
    assert max(at.high - at.value, at.value - at.low) <= 0.03 * at.value
    given_up = forecast(message, latency, QUIET, Question(precision=0.001, most=2000))
    assert given_up.samples == 2000
    assert "precision-not-met" in [notice.code for notice in given_up.warnings]


def test_tolerance_of_one_message_is_a_quantile_of_its_table(message: Program) -> None:
    latency = parse_latency("lognormal(mean=5us,sd=5us)")
    question = Question(samples=1000, tolerance=(2.0,), probability=0.9)
    found = forecast(message, Random(latency), QUIET, question).tolerance[0]
    assert found.limit_ns == 3000
    assert found.constant_ns == 2000
    assert found.scaled is not None
    # P(s·X ≤ 2 µs) = 0.9 where s is 2 µs over the p90 of X.
    assert found.scaled.scale == pytest.approx(2000 / latency.quantile(0.9), rel=0.15)
    assert found.scaled.share_within.value == pytest.approx(0.9, abs=0.005)
    assert not found.spread_possible
    easy = Question(samples=1000, tolerance=(9.0,), probability=0.9)
    spread = forecast(message, Random(latency), QUIET, easy).tolerance[0]
    assert spread.spread_possible
    # No lognormal of mean 5 µs has its p90 over 9 µs by enough: any spread will do, or nearly.
    assert spread.spread is None or spread.spread.sd_ns > 1000


@pytest.mark.thorough
def test_a_program_without_messages_tolerates_anything(tmp_path: Path) -> None:
    path = tmp_path / "alone.goal"
    path.write_text("num_ranks 1\nrank 0 {\na: calc 1000\n}\n")
    program = latitude.load(path)
    question = Question(samples=16, tolerance=(0.05,))
    found = forecast(program, Random(parse_latency("constant(1us)")), QUIET, question)
    assert found.tolerance[0].scaled is None
    assert found.tolerance[0].constant_ns == math.inf
    assert not found.pairs


def test_times_are_no_factors() -> None:
    """Latencies as noise would have multiplied computation by thousands."""
    latency, noise = parse_latency("constant(1us)"), parse_noise("5%")
    with pytest.raises(InputError, match="noise: give factors"):
        Random(latency, noise=latency)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="latency: give times"):
        Random(noise)  # type: ignore[arg-type]
    assert Random(latency, noise=noise).noise is noise


def test_noise_has_mean_one_whatever_it_is_drawn_from() -> None:
    for text in ("5%", "gamma(mean=3us,sd=300ns)", "constant(2us)"):
        assert parse_noise(text).values.mean() == pytest.approx(1)
    assert parse_noise("5%").sd == pytest.approx(0.05, rel=0.01)
    with pytest.raises(InputError, match="always 0"):
        parse_noise("constant(0)")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"samples": 0}, "at least 1"),
        ({"samples": 10**12}, "give at most 10,000,000"),
        ({"samples": 5, "precision": 0.1}, "exclude each other"),
        ({"quantile": 1.0}, "between 0 and 1"),
        ({"precision": -1.0}, "positive"),
    ],
)
def test_questions_that_make_no_sense_are_refused(options: dict[str, float], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Question(**options)  # type: ignore[arg-type]


def test_random_that_makes_no_sense_is_refused() -> None:
    latency = parse_latency("constant(1us)")
    with pytest.raises(InputError, match="flow, sender"):
        Random(latency, where="nowhere")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="comes on top"):
        Random(latency, where="sender", total=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"total": "yes"}, "total = 'yes' is neither True nor False"),
        ({"seed": -1}, "seed = -1 is not a whole number from 0 to 9,223,372,036,854,775,807"),
        ({"seed": "1"}, "seed = '1' is not a whole number of 0 or more"),
        ({"where": ["flow"]}, "where: '['flow']' is unknown; use flow, sender"),
    ],
)
def test_random_latency_of_other_types_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        Random(parse_latency("constant(1us)"), **arguments)
    assert str(error.value) == message
