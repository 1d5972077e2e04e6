"""Tables of distributions that Latitude computes by their formulas: those by SciPy."""

import math

import numpy as np
import pytest
from scipy import stats

from latitude._core import InputError
from latitude.distributions import parse_distribution, parse_table
from latitude.distributions.cells import table_of_distribution
from latitude.distributions.closed import distribution_named


@pytest.mark.parametrize(
    "text",
    [
        "lognormal(mean=5us,sd=10us)",
        "lognormal(p50=5us,p99=40us)",
        "lognormal(mean=5us,p99=20us)",
        "lognormal(loc=2us,mean=5us,p99.9=20us)",
        "lognormal(s=1.2,loc=-2us,scale=3us)",
        "exponential(mean=5us)",
        "expon(mean=5us,sd=1us)",
        "expon(loc=-1us,scale=4us)",
        "normal(mean=20us,sd=2us)",
        "normal(mean=5us,sd=4us)",
    ],
)
def test_a_table_is_that_of_scipy_s_distribution(text: str) -> None:
    table, reference = parse_table(text), table_of_distribution(parse_distribution(text), text)
    assert table.values.tolist() == reference.values.tolist()
    assert table.before is not None
    assert reference.before is not None
    found, known = table.before, reference.before
    assert (found.mean, found.sd, found.p999) == pytest.approx(
        (known.mean, known.sd, known.p999), rel=1e-12
    )
    assert [each.code for each in table.notices] == [each.code for each in reference.notices]


@pytest.mark.parametrize(("name", "shapes"), [("lognormal", (0.7,)), ("expon", ()), ("norm", ())])
def test_each_function_is_that_of_scipy(name: str, shapes: tuple[float, ...]) -> None:
    standard = distribution_named(name)
    frozen = standard(*shapes, loc=-1.5, scale=2.5)
    reference = getattr(stats, standard.name)(*shapes, loc=-1.5, scale=2.5)
    shares = np.array([0.0, 1e-300, 1e-9, 0.2, 0.5, 0.9, 1 - 1e-9, 1.0])
    x = np.array([-1.0, 0.0, 0.3, 7.0])
    assert frozen.ppf(shares) == pytest.approx(reference.ppf(shares), rel=1e-13)
    assert frozen.isf(shares[1:-1]) == pytest.approx(reference.isf(shares[1:-1]), rel=1e-13)
    assert frozen.logpdf(x) == pytest.approx(reference.logpdf(x), rel=1e-13)
    assert [frozen.cdf(each) for each in (-9, *x)] == pytest.approx(
        reference.cdf([-9, *x]), rel=1e-13
    )
    assert (frozen.mean(), frozen.std()) == pytest.approx((reference.mean(), reference.std()))
    assert standard.support(*shapes) == getattr(stats, standard.name).support(*shapes)


@pytest.mark.parametrize("text", ["lognormal(s=0,scale=5us)", "lognormal(s=-1,scale=5us)"])
def test_parameters_out_of_range_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="does not allow these parameters"):
        parse_table(text)


def test_a_shape_out_of_range_has_no_figures() -> None:
    lognormal = distribution_named("lognormal")
    figures = [lognormal.mean(-1.0), lognormal.std(-1.0), float(lognormal.ppf(0.5, -1.0))]
    assert all(map(math.isnan, figures))


def test_other_names_are_scipy_s() -> None:
    assert distribution_named("Weibull") is stats.weibull_min
    with pytest.raises(InputError, match="'nothing' is unknown"):
        distribution_named("nothing")
