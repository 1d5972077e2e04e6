"""Distributions in words."""

import re
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from latitude import InputError
from latitude.distributions import QuantileTable, bounded, parse_distribution, parse_table
from latitude.distributions.names import in_words
from latitude.distributions.specification import describe, parameters_of
from latitude.samples import SampleStore, groups, read_samples


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("lognormal(p50=5us,p99=40us)", {"p50": 5000, "p99": 40_000}),
        ("lognormal(mean=5us,sd=1us)", {"mean": 5000, "sd": 1000}),
        ("lognormal(loc=2us,mean=5us,p99.9=20us)", {"mean": 5000, "p99.9": 20_000}),
        ("lognormal(mean=5us,p50=4us,p99=15us)", {"mean": 5000, "p50": 4000, "p99": 15_000}),
        ("pareto(mean=5us,p99=20us)", {"mean": 5000, "p99": 20_000}),
        ("pareto(mean=5us,sd=2us)", {"mean": 5000, "sd": 2000}),
        ("gamma(mean=5us,sd=2us)", {"mean": 5000, "sd": 2000}),
        ("weibull(mean=5us,p99=30us)", {"mean": 5000, "p99": 30_000}),
        ("norm(p50=5us,p99=6us)", {"mean": 5000, "p99": 6000}),
        ("gumbel(mean=5us,sd=1us)", {"mean": 5000, "sd": 1000}),
        ("t(df=3,mean=5us,sd=1us)", {"mean": 5000, "sd": 1000}),
        ("expon(mean=5us)", {"mean": 5000, "sd": 5000}),
        ("expon(mean=5us,sd=1us)", {"mean": 5000, "sd": 1000}),
        ("uniform(mean=5us,sd=1us)", {"mean": 5000, "sd": 1000}),
        ("invgauss(mean=5us,sd=8us)", {"mean": 5000, "sd": 8000}),
        ("burr12(p50=4us,p90=8us,p99=20us)", {"p50": 4000, "p90": 8000, "p99": 20_000}),
        (" Lognormal( p50 = 5 us , p99 = 0.04 ms ) ", {"p50": 5000, "p99": 40_000}),
    ],
)
def test_moments_and_percentiles_are_met(text: str, figures: dict[str, float]) -> None:
    frozen = parse_distribution(text)
    for name, value in figures.items():
        known = {"mean": frozen.mean, "sd": frozen.std}
        found = known[name]() if name in known else frozen.ppf(float(name[1:]) / 100)
        assert found == pytest.approx(value, rel=1e-7)


def test_the_narrowest_of_several_is_meant() -> None:
    """Two Weibull distributions have these figures; the other has an sd of 465 µs."""
    assert parse_distribution("weibull(mean=5us,p99=30us)").std() < 10_000


def test_parameters_by_name() -> None:
    frozen = parse_distribution("lognorm(s=0.5,loc=2us,scale=3us)")
    assert parameters_of(frozen) == {"s": 0.5, "loc": 2000.0, "scale": 3000.0}
    assert parameters_of(parse_distribution("norm(loc=-3us,scale=1us)"))["loc"] == -3000.0


@settings(deadline=None)
@given(st.floats(0.01, 5), st.floats(-1e9, 1e9), st.floats(1e-3, 1e9))
def test_words_are_read_again(s: float, loc: float, scale: float) -> None:
    words = in_words("lognorm", {"s": s, "loc": loc, "scale": scale})
    found = parameters_of(parse_distribution(words))
    assert found == pytest.approx({"s": s, "loc": loc, "scale": scale}, rel=1e-15, abs=1e-29)
    assert describe(parse_distribution(words)) == words


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "samples (1).csv"
    path.write_text("latency_us\n1\n3\n")
    table = parse_distribution(f"empirical:{path}")
    assert isinstance(table, QuantileTable)
    assert (table.values.min(), table.values.max(), table.after.mean) == (1000, 3000, 2000.0)
    (tmp_path / "plain").write_text("1\n3\n")
    assert parse_distribution(f"empirical:{tmp_path / 'plain'}", "us").after.mean == 2000.0


def test_samples_of_a_store_are_those_of_its_files(tmp_path: Path) -> None:
    """One piece of code reads for `fit` and for `--latency`; a very long word is no name."""
    values = np.random.default_rng(1).lognormal(8, 1, 5000)
    store = SampleStore(tmp_path / "runs")
    for number, part in enumerate(np.split(values, 5)):
        csv = tmp_path / f"{number}.csv"
        csv.write_text("latency_ns\n" + "".join(f"{value!r}\n" for value in part.tolist()))
        store.write(f"run{number}", read_samples(csv))
    found = parse_table(str(tmp_path / "runs"))
    assert found.before is not None
    assert found.before.mean == pytest.approx(values.mean(), rel=1e-12)
    np.testing.assert_array_equal(
        found.values, parse_table(f"empirical:{tmp_path / 'runs'}").values
    )
    with pytest.raises(InputError, match=r"no \.parquet files in it"):
        parse_table(str(tmp_path))
    with pytest.raises(InputError, match="is neither a file nor a time nor"):
        parse_table("x" * 5000)


def test_more_samples_than_are_kept_make_nearly_the_same_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s.csv"
    values = np.random.default_rng(1).lognormal(8, 1, 5000)
    path.write_text("latency_ns\n" + "".join(f"{value!r}\n" for value in values.tolist()))
    exact = parse_table(str(path))
    monkeypatch.setattr(groups, "MOST", 100)
    kept = parse_table(str(path))
    np.testing.assert_allclose(kept.values, exact.values, rtol=2e-3, atol=1)
    assert kept.after.mean == pytest.approx(exact.after.mean, rel=1e-6)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("lognormal", "'lognormal' is neither a file nor a time nor NAME(PARAMETER=VALUE,…)"),
        ("lognormal(5us)", "'5us' is not PARAMETER=VALUE"),
        ("lognormal(p50=5us,p50=6us)", "p50 is given twice"),
        ("lognormal(p50=5)", "p50: '5' has no unit"),
        ("lognormal(p50=5us)", "s, scale to be found from 1 moments and percentiles"),
        ("lognormal(p50=5us,p99=4us)", "no lognorm has p50=5000ns and p99=4000ns"),
        ("lognormal(p0=5us,p99=4us)", "'p0' is not a parameter of this distribution"),
        ("lognormal(s=x,scale=1us)", "s: 'x' is not a number"),
        ("lognormal(s=-1,scale=5us)", "does not allow these parameters"),
        (
            "lognormal(median=5us)",
            "'median' is not a parameter of this distribution; use s, loc, scale, mean",
        ),
        ("norm(mean=5us)", "scale, loc to be found from 1"),
        ("poisson(mu=3)", "distribution 'poisson' is unknown"),
        ("os(a=1)", "distribution 'os' is unknown"),
        ("constant(x)", "constant: 'x' is not a number with a unit"),
        ("table:/absent", "/absent: No such file"),
        ("empirical:/absent", "/absent: No such file"),
    ],
)
def test_wrong_words_teach(text: str, advice: str) -> None:
    with pytest.raises(InputError, match=re.escape(advice)):
        parse_distribution(text)


@pytest.mark.thorough
@given(st.text(max_size=40))
def test_nonsense_is_refused_politely(text: str) -> None:
    with suppress(InputError):
        parse_distribution(text)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "text",
    ["levy_stable(alpha=0.1,beta=0,scale=1us)", "levy_stable(beta=0,p10=3ns,p50=1us,p99=2us)"],
)
def test_quantiles_that_take_too_long_are_refused(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded, "_MOST_S", 0.05)
    with pytest.raises(InputError, match=re.escape(f"{text}: to compute its quantiles takes more")):
        parse_table(text)


def test_pieces_are_the_whole() -> None:
    shares = np.linspace(0.001, 0.999, 1000).reshape(10, 100)
    found = bounded.Bounded(scipy.stats.expon, "x").ppf(shares)
    assert np.array_equal(found, scipy.stats.expon.ppf(shares))
    assert bounded.Bounded(scipy.stats.expon, "x").ppf(np.empty((0, 3))).shape == (0, 3)
