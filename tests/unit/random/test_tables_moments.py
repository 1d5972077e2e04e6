"""Tables keep the mean, and the rest up to the stated clip."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from latitude import InputError
from latitude.distributions import parse_distribution, parse_table
from latitude.distributions.cells import table_of_distribution, table_of_samples
from latitude.statistics.sketch import Sketch

LIGHT = [
    "lognormal(p50=5us,p99=9us)",
    "lognormal(p50=5us,p99=40us)",
    "gamma(mean=5us,sd=2us)",
    "gamma(a=0.3,scale=20us)",
    "expon(mean=5us)",
    "expon(mean=5us,sd=1us)",
    "weibull(c=1.5,loc=2us,scale=5us)",
    "gumbel(mean=9us,sd=1us)",
    "uniform(loc=1us,scale=9us)",
    "norm(mean=50us,sd=5us)",
    "invgauss(mean=5us,sd=3us)",
    "beta(a=2,b=5,loc=1us,scale=10us)",
    "laplace(loc=90us,scale=2us)",
]
HEAVY = [
    "pareto(b=2.5,scale=2us)",
    "pareto(b=1.5,scale=2us)",
    "fisk(c=3,scale=5us)",
    "lognormal(s=2,scale=1us)",
    "genextreme(c=-0.3,loc=9us,scale=1us)",
]


@pytest.mark.parametrize("text", LIGHT)
def test_light_tails_are_kept(text: str) -> None:
    frozen, table = parse_distribution(text), parse_table(text)
    assert table.after.mean == pytest.approx(frozen.mean(), rel=1e-6)
    assert table.after.sd == pytest.approx(frozen.std(), rel=0.005)
    assert table.quantile(0.5) == pytest.approx(frozen.ppf(0.5), rel=0.002)
    assert table.quantile(0.99) == pytest.approx(frozen.ppf(0.99), rel=0.005)
    assert not [n for n in table.notices if n.code == "table-sd"]


@pytest.mark.parametrize("text", HEAVY)
def test_heavy_tails_keep_the_mean_and_say_what_is_clipped(text: str) -> None:
    frozen, table = parse_distribution(text), parse_table(text)
    assert table.after.mean == pytest.approx(frozen.mean(), rel=1e-6)
    assert table.after.sd < frozen.std()
    message = next(n.message for n in table.notices if n.code == "table-sd")
    assert "the last of 4,096 entries" in message
    within = frozen.expect(lambda x: x, ub=frozen.ppf(4095 / 4096))
    last = (frozen.mean() - within) * 4096
    assert table.values[-1] == pytest.approx(last, rel=1e-4)


def test_no_mean_is_said() -> None:
    table = parse_table("pareto(b=0.9,scale=2us)")
    assert {"infinite-mean", "table-sd"} <= {notice.code for notice in table.notices}
    median = 2000 * (2 * 4096) ** (1 / 0.9)
    assert table.values[-1] == pytest.approx(median, rel=1e-4)


def test_below_zero_becomes_zero() -> None:
    table = parse_table("norm(mean=1us,sd=1us)")
    assert table.values.min() == 0
    exact = 1000 * (stats.norm.cdf(1) + stats.norm.pdf(1))
    assert table.after.mean == pytest.approx(exact, rel=1e-6)
    assert "15.9%" in next(n.message for n in table.notices if n.code == "below-zero")


def test_too_long_for_any_table() -> None:
    with pytest.raises(InputError, match="choose a lighter tail"):
        parse_table("levy(scale=1s)")


@settings(max_examples=50)
@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=9000))
def test_samples_keep_their_mean(values: list[float]) -> None:
    table = table_of_samples(values, "x")
    assert table.after.mean == pytest.approx(np.mean(values), rel=1e-9, abs=2e-4)
    assert (np.diff(table.values) >= 0).all()
    assert table.values.max() <= max(values) + 2
    assert table.values.min() >= min(values) - 2


def test_each_entry_is_the_mean_of_its_samples() -> None:
    values = np.random.default_rng(1).lognormal(9, 1, 4096 * 4)
    table = table_of_samples(values, "x")
    np.testing.assert_allclose(table.values, np.sort(values).reshape(-1, 4).mean(axis=1), atol=1)


def test_sketches_make_the_same_table() -> None:
    values = np.random.default_rng(1).lognormal(9, 1, 50_000)
    sketch = Sketch()
    sketch.add(values)
    means, counts = sketch.cells()
    exact, sketched = table_of_samples(values, "x"), table_of_samples(means, "x", counts)
    np.testing.assert_allclose(sketched.values, exact.values, rtol=2e-3, atol=1)
    assert sketched.after.mean == pytest.approx(exact.after.mean, rel=1e-6)


@settings(max_examples=20, deadline=None)
@given(st.floats(0.05, 1.5), st.floats(0, 1e6), st.floats(10, 1e7))
def test_any_lognormal_keeps_its_mean(s: float, loc: float, scale: float) -> None:
    frozen = stats.lognorm(s, loc, scale)
    table = table_of_distribution(frozen, "x")
    assert table.after.mean == pytest.approx(frozen.mean(), rel=1e-6, abs=2e-4)
