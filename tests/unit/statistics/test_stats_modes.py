"""Hartigan's dip against the definition and the published table; modes of known mixtures."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog

from latitude._core import InputError
from latitude.lab.statistics.dip import dip
from latitude.lab.statistics.modes import Modes, modes, spread
from latitude.lab.statistics.null_distribution import null_table
from latitude.statistics.sample import sample_of
from latitude.units import columns
from support.null_tables import SHARES, SIMULATION_SEED, row
from support.paths import ROOT

# Hartigan & Hartigan, Annals of Statistics 13 (1985), Table 1: the points .90, .95, .99 of the dip
# of uniform samples, from 9,999 repetitions (their note 2: standard error at most .001).
TABLE_1 = {
    4: (0.1863, 0.2056, 0.2325),
    5: (0.1773, 0.1872, 0.1966),
    6: (0.1586, 0.1645, 0.1904),
    7: (0.1445, 0.1597, 0.1832),
    8: (0.1428, 0.1552, 0.1744),
    9: (0.1362, 0.1458, 0.1623),
    10: (0.1302, 0.1394, 0.1623),
    15: (0.1097, 0.1179, 0.1365),
    20: (0.0970, 0.1047, 0.1209),
    30: (0.0815, 0.0884, 0.1012),
    50: (0.0645, 0.0702, 0.0804),
    100: (0.0471, 0.0510, 0.0586),
    200: (0.0341, 0.0370, 0.0429),
}


def dip_by_definition(x: NDArray[np.float64]) -> float:
    """The least sup |F − U| over unimodal U: a linear program for each place of the mode.

    U is convex up to the mode and concave after it, may jump there, and is linear in between.
    """
    return min(_closest(x, mode) for mode in range(x.size))


def _closest(x: NDArray[np.float64], mode: int) -> float:
    n = x.size
    # Unknowns: U(x_i−) for i ≤ mode, U(x_i+) for i ≥ mode (one more), and the distance t.
    rows: list[NDArray[np.float64]] = []
    bounds: list[float] = []

    def at_most(entries: dict[int, float], bound: float) -> None:
        line = np.zeros(n + 2)
        for index, value in entries.items():
            line[index] = value
        rows.append(line)
        bounds.append(bound)

    for i in range(n):
        left, right = i / n, (i + 1) / n
        for k, levels in (
            (((i, (left, right)),) if i < mode else ((i + 1, (left, right)),))
            if i != mode
            else ((i, (left,)), (i + 1, (right,)))
        ):
            for level in levels:
                at_most({k: 1, n + 1: -1}, level)
                at_most({k: -1, n + 1: -1}, -level)
    for k in range(n):
        at_most({k: 1, k + 1: -1}, 0)
    for i in range(1, n - 1):
        before, after = 1 / (x[i] - x[i - 1]), 1 / (x[i + 1] - x[i])
        if i < mode:
            at_most({i: before + after, i - 1: -before, i + 1: -after}, 0)
        elif i > mode:
            at_most({i + 1: -before - after, i: before, i + 2: after}, 0)
    cost = np.zeros(n + 2)
    cost[-1] = 1
    limits = [(0, 1)] * (n + 1) + [(0, None)]
    least = linprog(cost, A_ub=np.array(rows), b_ub=bounds, bounds=limits).fun
    assert least is not None
    return float(least)


@pytest.mark.parametrize("seed", range(24))
def test_the_dip_is_what_its_definition_says(seed: int) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(4, 12))
    x = np.sort(
        (
            random.random(n),
            np.concatenate([random.random(n // 2), 3 + random.random(n - n // 2)]),
            random.standard_t(1, n),
        )[seed % 3]
    )
    assert dip(x) == pytest.approx(dip_by_definition(x), abs=1e-7)


def test_dips_known_by_hand() -> None:
    assert dip(np.arange(10.0)) == pytest.approx(1 / 20)  # evenly spaced: the least there is
    two = np.sort(np.concatenate([np.linspace(0, 1e-9, 50), np.linspace(1, 1 + 1e-9, 50)]))
    assert dip(two) == pytest.approx(0.25, abs=0.006)  # two atoms: the most there is


@pytest.mark.thorough
@given(st.lists(st.integers(0, 10**6), min_size=4, max_size=60, unique=True))
@settings(max_examples=60, deadline=None)
def test_the_dip_does_not_know_units_or_directions(values: list[int]) -> None:
    x = np.sort(np.array(values, dtype=float))
    found = dip(x)
    assert 1 / (2 * x.size) - 1e-12 <= found <= 0.25 + 1e-12
    assert dip(3 * x + 7) == pytest.approx(found, abs=1e-9)
    assert dip(np.sort(-x)) == pytest.approx(found, abs=1e-9)


def test_pruned_hulls_are_the_same_hulls(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    samples = [np.sort(draw(3000)) for draw in (random.random, random.standard_exponential)]
    quick = [dip(x) for x in samples]
    monkeypatch.setattr("latitude.lab.statistics.dip.VECTOR", 10**9)
    assert [dip(x) for x in samples] == pytest.approx(quick, abs=1e-12)


@pytest.mark.parametrize("n", TABLE_1)
def test_critical_values_of_the_dip_as_published(n: int) -> None:
    """Within twice the published standard error of both tables' quantiles (0.0035 at n = 10)."""
    table = null_table("dip")
    size = table.sizes.tolist().index(n)
    for share, published in zip((0.90, 0.95, 0.99), TABLE_1[n], strict=True):
        ours = table.quantiles[size][table.shares.tolist().index(share)] / math.sqrt(n)
        assert ours == pytest.approx(published, abs=0.0036 if (n, share) == (10, 0.99) else 0.002)


def test_the_table_is_what_its_seed_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few hundred replicates of the same seed agree with the 20,000 and more of the table."""
    monkeypatch.setattr("support.null_tables.replicates", lambda _: 2000)
    path = ROOT / "src/latitude/lab/statistics/null_tables.json"
    kept = json.loads(path.read_text())["dip"]
    assert kept["seed"] == SIMULATION_SEED
    again = row(dip, 50, normal=False)
    middle = SHARES.index(0.5)
    assert again[middle] == pytest.approx(
        kept["quantiles"][kept["sizes"].index(50)][middle], rel=0.02
    )


def test_p_values_are_uniform_under_the_null() -> None:
    random = np.random.default_rng(11)
    table = null_table("dip")
    for n in (13, 700, 12_000):
        repetitions = 300 if n < 10_000 else 60
        p = [table.p_value(dip(np.sort(random.random(n))), n) for _ in range(repetitions)]
        assert np.mean(np.array(p) < 0.2) == pytest.approx(0.2, abs=3.5 * 0.4 / repetitions**0.5)


def test_a_p_value_is_not_beyond_what_was_simulated() -> None:
    """Evenly spaced values have the least dip there is; no simulated sample tells how rare."""
    even = modes(np.arange(1.0, 201.0))
    assert even.dip_p == 0.99
    assert columns.at(Modes, "dip_p").text(even.dip_p) == "≥ 0.99"
    table = null_table("dip")
    assert table.p_value(0.25, 200) == 0.0005
    # Most samples of 4 have the least dip, 1/8: all of them are as far as one that has it.
    assert table.p_value(1 / 8, 4) == 0.99
    assert 0.35 < table.p_value(1 / 8 + 1e-4, 4) < 0.45


def test_modes_of_a_network_with_a_second_route() -> None:
    random = np.random.default_rng(5)
    values = np.concatenate([random.normal(6100, 150, 1400), random.normal(7200, 150, 600)])
    found = modes(values)
    assert found.count == 2
    assert found.locations_ns == pytest.approx((6100, 7200), abs=60)
    assert found.multimodal
    assert found.dip_p == 0.0005
    assert found.peak_ns == pytest.approx(6100, abs=60)
    assert found.peak_per_ns == pytest.approx(0.7 / (150 * math.sqrt(2 * math.pi)), rel=0.2)


@pytest.mark.parametrize("seed", range(5))
def test_a_long_tail_is_one_mode(seed: int) -> None:
    random = np.random.default_rng(seed)
    for values in (random.lognormal(8, 1, 2000), 1000 * (1 + random.pareto(1.2, 2000))):
        found = modes(values)
        assert found.count == 1
        assert not found.multimodal


def test_ticks_of_a_clock_are_no_modes() -> None:
    values = np.round(np.random.default_rng(1).normal(2000, 60, 5000), -1)
    found = modes(values)
    assert found.count == 1
    assert not found.multimodal
    (notice,) = found.notices(sample_of(values))
    assert notice.code == "coarse-clock-for-modes"
    assert "every 10 ns" in notice.message


@given(st.lists(st.integers(0, 30), min_size=2, max_size=60))
def test_spread_values_differ_and_stay_in_order(values: list[int]) -> None:
    ordered = np.sort(np.array(values, dtype=float))
    moved = spread(ordered)
    if ordered[0] == ordered[-1]:
        return
    assert (np.diff(moved) > 0).all()
    tick = np.diff(np.unique(ordered)).min()
    assert np.abs(moved - ordered).max() <= tick / 2


def test_a_constant_sample_has_one_mode() -> None:
    found = modes([5.0] * 10)
    assert (found.count, found.dip, found.dip_p) == (1, 0.0, 1.0)


def test_three_samples_have_no_modes() -> None:
    with pytest.raises(InputError, match="only 3 values; at least 4 are needed"):
        modes([1.0, 2.0, 3.0])


@pytest.mark.parametrize("at", [1e3, 1e17])
def test_values_that_differ_by_rounding_alone_have_one_mode(at: float) -> None:
    values = np.array([at, math.nextafter(at, math.inf)] * 50)
    assert modes(values).count == 1
    beside = modes(np.append(values, [2 * at] * 40))
    assert beside.count == 2
