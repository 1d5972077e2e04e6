"""The distribution that goes in comes out of real messages: Kolmogorov and Smirnov's test.

By two clocks: the injector's own account, and what each message says of itself. The latter lies
between two samples without an injector: the drawn latency and what messages take without one, and
messages that their sender itself holds back as long, which costs what waiting costs here.

A rank that is not running cannot take its messages. A share of messages that arrive at any time
whatever moves the statistic by that share at most: the ranks count how often they lost their core,
and so much is allowed on top.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from support.kolmogorov import CRITICAL, Floats, beyond
from support.mpi.injecting import POLLING, Injecting
from support.mpi.stacks import UCX, stack
from support.timing import Machine

MESSAGES, PLAIN, WARM = 8_000, 2_000, 100
WORDS = "lognormal(p50=100us,p99=400us)"
MOST = CRITICAL / MESSAGES**0.5
QUANTILES = (np.arange(32) + 0.5) / 32
NEARLY_IDLE = 0.01
"""A share of disturbed messages below the statistic's own limit."""


def run(injecting: Injecting, latency: str, messages: int, *waits: Path) -> tuple[Floats, float]:
    """Sorted durations of messages, and the share of disturbed ones."""
    program, out = injecting.mpi.program("one_way.c"), injecting.directory / "took"
    done = injecting.flow(latency, 2, program, out, messages, *waits, options=("--seed", "3"))
    parts = [np.fromfile(f"{out}.{rank}", dtype=np.uint64) for rank in (0, 1)]
    disturbed = 2 * sum(map(int, done.stdout.split())) / messages
    return np.sort(np.concatenate(parts).astype(np.float64)), disturbed


@pytest.mark.parametrize("name", UCX)
def test_delays_of_real_messages_follow_the_table(
    machine: Machine, builds: Path, tmp_path: Path, name: str
) -> None:
    """Found: a shift of 5 µs, or a spread that is 5 % off (tests/unit/support)."""
    injecting = Injecting(stack(name, builds), tmp_path, transports=POLLING)
    waits = tmp_path / "waits"
    random = np.random.default_rng(5)

    def block() -> Mapping[str, float]:
        plain = np.quantile(run(injecting, "0", PLAIN)[0], QUANTILES)
        took, disturbed = run(injecting, WORDS, MESSAGES)
        values = injecting.table()
        histogram = injecting.result()["histogram"]
        random.choice(values, MESSAGES + WARM).astype(np.uint64).tofile(waits)
        held, _ = run(injecting, "0", MESSAGES, waits)
        achieved = np.cumsum(histogram["achieved"]) / sum(histogram["achieved"])
        of_table = np.searchsorted(values, np.array(histogram["to_ns"])) / values.size
        expected = np.sort(np.add.outer(values, plain).ravel())
        allowed = MOST + min(disturbed, NEARLY_IDLE)
        return {
            "by the messages": beyond(took, expected, held) / allowed,
            "by the injector": float(np.abs(achieved - of_table).max()) / allowed,
        }

    machine.holds(block, {"by the messages": (0, 1), "by the injector": (0, 1)})
