"""Arrival between nodes whose clocks differ: a rank has a time namespace of its own."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from support.mpi.injecting import POLLING, Injecting
from support.mpi.stacks import UCX, stack
from support.namespaces import in_time_namespace
from support.timing import SHARP, Machine

# An answer is two latencies of 2 ms away. Who computes for 3 ms meanwhile finds it after 4 ms all
# the same; counted from when it is found, the second latency would end after 5 ms.
LATENCY, COMPUTE_MS, ROUNDS = "2ms", 3, 8
SOONEST_US, LATEST_US = 3990, 4500


@pytest.mark.parametrize("hours", [0, 1], ids=["one clock", "an hour apart"])
@pytest.mark.parametrize("name", UCX)
def test_what_arrives_while_the_receiver_computes_counts_from_its_arrival(
    machine: Machine, builds: Path, tmp_path: Path, name: str, hours: int
) -> None:
    """Found: 1 ms more, or a latency that is left out because the clocks differ."""
    injecting = Injecting(stack(name, builds), tmp_path, transports=POLLING)
    late = [str(injecting.mpi.program("late.c")), str(COMPUTE_MS), str(ROUNDS)]
    other = in_time_namespace(hours, *late)

    def block() -> Mapping[str, float]:
        done = injecting.flow(LATENCY, 1, *late, ":", "-n", 1, *other)
        took = [float(word) for word in done.stdout.split()]
        assert len(took) == 4, done.stdout  # at once and late, of each rank
        return {"soonest": min(took), "latest": max(took)}

    within = (SOONEST_US, LATEST_US)
    machine.holds(block, {"soonest": within, "latest": within}, stray=SHARP)
