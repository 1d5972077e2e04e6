"""The statistic sees the defects that the tests which use it name."""

import numpy as np

from support.kolmogorov import CRITICAL, beyond

MESSAGES = 8_000


def test_a_distance_sees_a_shift_and_a_wrong_spread() -> None:
    values = np.sort(np.random.default_rng(1).lognormal(11.5, 0.6, 4096))
    most = CRITICAL / MESSAGES**0.5
    seen = {"right": 0, "shifted": 0, "wider": 0}
    for seed in range(200):
        drawn = np.sort(np.random.default_rng(seed).choice(values, MESSAGES))
        seen["right"] += beyond(drawn, values, values) > most
        seen["shifted"] += beyond(drawn + 5_000, values, values) > most
        seen["wider"] += beyond(1.05 * drawn, values, values) > most
    assert seen["right"] <= 8  # 1 % of 200, but for chance
    assert seen["shifted"] >= 199
    assert seen["wider"] >= 190


def test_what_lies_between_is_not_beyond() -> None:
    values = np.sort(np.random.default_rng(1).lognormal(11.5, 0.6, 4096))
    assert beyond(values + 1_000, values, values + 2_000) == 0
    assert beyond(values + 1_000, values + 2_000, values) == 0
    assert beyond(values - 1_000, values, values + 2_000) > 0
    assert beyond(values + 3_000, values, values + 2_000) > 0
