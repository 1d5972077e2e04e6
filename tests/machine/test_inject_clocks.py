"""Arrival between nodes whose clocks differ: a rank has a time namespace of its own."""

import os

import pytest

from support.mpi.injecting import Injecting

_TRIES = 6
# An answer is two latencies of 2 ms away. Who computes for 3 ms meanwhile finds it after 4 ms all
# the same; counted from when it is found, the second latency would end after 5 ms.
LATENCY, COMPUTE_MS, ROUNDS = "2ms", 3, 8
SOONEST_US, LATEST_US = 3990, 4500


@pytest.mark.measures
@pytest.mark.parametrize("hours", [0, 1], ids=["one clock", "an hour apart"])
def test_what_arrives_while_the_receiver_computes_counts_from_its_arrival(
    injecting: Injecting, hours: int
) -> None:
    late = [str(injecting.mpi.program("late.c")), str(COMPUTE_MS), str(ROUNDS)]
    namespace = ["unshare", "--time", "--fork", f"--monotonic={hours * 3600}"]
    if os.geteuid() != 0:
        namespace.append("--map-root-user")
    other = [*(namespace if hours else []), *late]
    took: list[float] = []
    for _ in range(_TRIES):
        done = injecting.flow(LATENCY, 1, *late, ":", "-n", 1, *other)
        took = [float(word) for word in done.stdout.split()]
        assert len(took) == 4, done.stdout  # at once and late, of each rank
        if all(SOONEST_US <= us <= LATEST_US for us in took):
            return
    pytest.fail(f"answers took {took} µs")
