"""The statistic sees the defects that the tests which use it name."""

import numpy as np

from support.kolmogorov import CRITICAL, distance

MESSAGES = 8_000


def test_a_distance_sees_a_shift_and_a_wrong_spread() -> None:
    values = np.sort(np.random.default_rng(1).lognormal(11.5, 0.6, 4096))
    most = CRITICAL / MESSAGES**0.5
    seen = {"right": 0, "shifted": 0, "wider": 0}
    for seed in range(200):
        drawn = np.sort(np.random.default_rng(seed).choice(values, MESSAGES))
        seen["right"] += distance(drawn, values) > most
        seen["shifted"] += distance(drawn + 5_000, values) > most
        seen["wider"] += distance(1.05 * drawn, values) > most
    assert seen["right"] <= 8  # 1 % of 200, but for chance
    assert seen["shifted"] >= 199
    assert seen["wider"] >= 190
