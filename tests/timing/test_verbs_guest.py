"""Delays of the verbs injector on a real RDMA stack are waited once: soft-RoCE in a guest."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from support.guest.steps import MANY, REQUESTS, boot, perftest_us, pingpong_us, post_us
from support.timing import SHARP, Machine

STEPS = (
    "write",
    "write-100",
    "post",
    "post-1000-each",
    "wr",
    "wr-1000",
    "openmpi",
    "openmpi-tables",
)


def test_latencies_rise_by_what_was_asked(
    machine: Machine, builds: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Compares latencies as shares of the requested one. It found a delay waited twice, or not at
    all.
    """

    def block() -> Mapping[str, float]:
        guest = boot(builds, tmp_path_factory.mktemp("guest"), STEPS, MANY)
        times = pingpong_us(guest, "openmpi-tables")
        each = post_us(guest, "post-1000-each") - post_us(guest, "post")
        return {
            "write": (perftest_us(guest, "write-100") - perftest_us(guest, "write")) / 100,
            "each request": each / (1000 * REQUESTS),
            "list": (post_us(guest, "wr-1000") - post_us(guest, "wr")) / 1000,
            "Open MPI": (times[1000] - times[0]) / 1000,
            # of a table of nothing, in shares of the least delay
            "nothing": 1 + (times[0] - pingpong_us(guest, "openmpi")[0]) / 100,
        }

    names = ("write", "each request", "list", "Open MPI", "nothing")
    machine.holds(block, dict.fromkeys(names, (0.7, 1.5)), stray=SHARP, most_s=600)
