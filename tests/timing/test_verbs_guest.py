"""Delays of the verbs injector on a real RDMA stack are waited once: soft-RoCE in a guest."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from support.guest.steps import REQUESTS, boot, perftest_us, pingpong_us, post_us
from support.timing import SHARP, Machine

STEPS = {
    *("write", "write-100", "write-1000", "send", "send-1000", "table"),
    *("post", "post-1000", "post-1000-each", "wr", "wr-1000"),
    *("openmpi", "openmpi-tables", "mpich", "mpich-tables", "flow"),
}


def test_latencies_rise_by_what_was_asked(
    machine: Machine, builds: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """In shares of what was asked. Found: a delay waited twice, or not at all."""

    def block() -> Mapping[str, float]:
        guest = boot(builds, lambda: tmp_path_factory.mktemp("guest"), STEPS)
        tables = {name: pingpong_us(guest, f"{name}-tables") for name in ("openmpi", "mpich")}
        flow = pingpong_us(guest, "flow")
        write, send = perftest_us(guest, "write"), perftest_us(guest, "send")
        found = {
            "write 100": (perftest_us(guest, "write-100") - write) / 100,
            "write 1000": (perftest_us(guest, "write-1000") - write) / 1000,
            "send 1000": (perftest_us(guest, "send-1000") - send) / 1000,
            "table": (perftest_us(guest, "table") - write) / 125,
            "post": (post_us(guest, "post-1000") - post_us(guest, "post")) / 1000,
            "wr": (post_us(guest, "wr-1000") - post_us(guest, "wr")) / 1000,
            "flow": (flow[1000] - flow[0]) / 1000,
        }
        each = post_us(guest, "post-1000-each") - post_us(guest, "post")
        found["each request"] = each / (1000 * REQUESTS)
        for name, times in tables.items():
            found[f"{name} 100"] = (times[100] - times[0]) / 100
            found[f"{name} 1000"] = (times[1000] - times[0]) / 1000
            # of a table of nothing, in shares of the least delay
            found[f"{name} 0"] = 1 + (times[0] - pingpong_us(guest, name)[0]) / 100
        return found

    names = ["write 100", "write 1000", "send 1000", "table", "post", "wr", "flow", "each request"]
    names += [f"{name} {asked}" for name in ("openmpi", "mpich") for asked in (0, 100, 1000)]
    machine.holds(block, dict.fromkeys(names, (0.7, 1.5)), stray=SHARP, most_s=600)
