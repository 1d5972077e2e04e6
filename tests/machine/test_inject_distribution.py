"""The distribution that goes in comes out of real messages: Kolmogorov and Smirnov's test.

By two clocks: the injector's own account, and what each message says of itself, of which the least
time a message takes without a latency is subtracted.

A rank that is not running cannot take its messages, and where tests run, others run, too. A share
of messages that arrive at any time whatever moves the statistic by that share at most: the ranks
count how often they lost their core, and so much is allowed on top. On an idle machine it is next
to nothing, and the test the usual one; a busy one is given some time to become idle.
"""

import numpy as np
import pytest
from numpy.typing import NDArray

from support.mpi.injecting import Injecting

MESSAGES, PLAIN = 20_000, 5_000
WORDS = "lognormal(p50=100us,p99=400us)"
NEARLY_IDLE = 0.01
"""A share of disturbed messages below the statistic's own limit."""
CRITICAL = 1.63
"""Of the statistic times √n, at 1 %: Kolmogorov's distribution."""
_TRIES = 3

Floats = NDArray[np.float64]


def run(injecting: Injecting, latency: str, messages: int) -> tuple[Floats, float]:
    """How long messages took, sorted, and the share that was disturbed."""
    program, out = injecting.mpi.program("one_way.c"), injecting.directory / "took"
    done = injecting.flow(latency, 2, program, out, messages, options=("--seed", "3"))
    parts = [np.fromfile(f"{out}.{rank}", dtype=np.uint64) for rank in (0, 1)]
    disturbed = 2 * sum(map(int, done.stdout.split())) / messages
    return np.sort(np.concatenate(parts).astype(np.float64)), disturbed


def table(injecting: Injecting) -> Floats:
    lines = (injecting.directory / "run" / "table.dist").read_text().splitlines()
    return np.array([float(word) for line in lines if line[0] != "#" for word in line.split()])


def distance(sample: Floats, values: Floats) -> float:
    """The statistic of a sorted sample against equally likely values."""
    below = np.searchsorted(values, sample, "left") / values.size
    up_to = np.searchsorted(values, sample, "right") / values.size
    order = np.arange(1, sample.size + 1) / sample.size
    return float(max((order - up_to).max(), (below - order + 1 / sample.size).max()))


def counted(injecting: Injecting, values: Floats) -> float:
    """The statistic of the delays in the report, at its cells' boundaries, where it is exact."""
    histogram = injecting.result()["histogram"]
    achieved = np.cumsum(histogram["achieved"]) / sum(histogram["achieved"])
    of_table = np.searchsorted(values, np.array(histogram["to_ns"])) / values.size
    return float(np.abs(achieved - of_table).max())


def test_a_distance_sees_a_shift_and_a_wrong_spread() -> None:
    values = np.sort(np.random.default_rng(1).lognormal(11.5, 0.6, 4096))
    drawn = np.sort(np.random.default_rng(2).choice(values, MESSAGES))
    most = CRITICAL / MESSAGES**0.5
    assert distance(drawn, values) < most
    assert distance(drawn + 3_000, values) > most
    assert distance(1.03 * drawn, values) > most


@pytest.mark.measures
def test_delays_of_real_messages_follow_the_table(injecting: Injecting) -> None:
    for _ in range(_TRIES):
        least = run(injecting, "0", PLAIN)[0][0]
        took, disturbed = run(injecting, WORDS, MESSAGES)
        values = table(injecting)
        statistics = distance(took - least, values), counted(injecting, values)
        most = CRITICAL / MESSAGES**0.5 + disturbed
        if disturbed < NEARLY_IDLE:
            break
    assert max(statistics) < most, f"{disturbed:.1%} of messages were disturbed"
