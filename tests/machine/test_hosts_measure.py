"""`latitude measure` between hosts, over links whose rate is known."""

from typing import Any

import pytest

from latitude.model.cluster_file import read_cluster
from latitude.samples import read_samples
from support.mpi.spanning import Spanning

CARRIED = 1448 / 1514
"""Share of a frame that is TCP's load."""


@pytest.mark.measures
def test_inside_and_between_nodes_are_told_apart(spanning: Spanning) -> None:
    """One pair is at work at a time, on all cores. The first two packets meet no rate."""
    spanning.rate, spanning.slots, spanning.share_cores = "200mbit", 2, True
    options = ("-o", "l", "--most", "128KiB", "--time", "4s", "--quantile", "10%", "--no-pin")
    done = spanning.latitude("measure", "loggps", *options, "--", *spanning.mpi.run(4))
    assert done.stdout.startswith("LogGPS between nodes, 2 pairs of ranks")
    found = spanning.json("l/loggps.json")
    assert [rank["node"] for rank in found["ranks"]] == [0, 0, 1, 1]
    between, inside = found["classes"]
    assert (between["pairs"], inside["pairs"]) == (2, 2)
    per_byte = (half_trip(between, 128) - half_trip(between, 16)) / (112 << 10)
    assert per_byte == pytest.approx(8 / 0.2 / CARRIED, rel=0.1)
    network = read_cluster(spanning.directory / "l" / "cluster.toml").network()
    assert network.intra
    assert network.intra.G < 0.5 * network.G


def half_trip(kind: dict[str, Any], kibibytes: int) -> float:
    """That of a size, ns."""
    (size,) = (size for size in kind["sizes"] if size["bytes"] == kibibytes << 10)
    return size["half_round_trip_ns"]["value"]  # type: ignore[no-any-return]


@pytest.mark.measures
def test_samples_say_where_ranks_ran(spanning: Spanning) -> None:
    (spanning.directory / "topology.conf").write_text("SwitchName=leaf Nodes=node[1-2]\n")
    options = ("-o", "p", "--sizes", "4B", "--iterations", "50", "--warmup", "5")
    options += ("--topology", "topology.conf")
    spanning.latitude("measure", "pingpong", *options, "--", *spanning.mpi.run(2))
    samples = read_samples(spanning.directory / "p")
    assert (samples["nodes"] == 2).all()
    assert (samples["placement"] == "same group").all()
    assert samples["latency_ns"].median() < 1e6
    assert samples["clock_error_ns"].max() < 1e6  # the clocks are 1,000 s apart


@pytest.mark.measures
def test_latency_and_its_variation_rise_with_load(open_mpi_spanning: Spanning) -> None:
    """Figs. 2 and 3 of [U]: the ping-pong's messages wait for the load's on the link."""
    few, many = (beside(open_mpi_spanning, load) for load in ("5%", "80%"))
    assert many["mean_ns"] > 5 * few["mean_ns"]
    assert many["sd_ns"] > 3 * few["sd_ns"]


def beside(spanning: Spanning, load: str) -> dict[str, float]:
    """Summary of a ping-pong beside a load of both directions of a link of 200 Mbit/s."""
    spanning.rate, spanning.slots = "200mbit", 2
    launch = spanning.mpi.run(2, "--map-by", "node")
    generator = ["--with-load", load, "--load-launcher", " ".join(spanning.mpi.run(4))]
    generator += ["--peak", "23.9MB/s", "--message", "32KiB"]
    options = ["-o", f"p-{load}", "--sizes", "4B", "--iterations", "250", "--warmup", "10"]
    spanning.latitude("measure", "pingpong", *options, *generator, "--", "chrt", "-i", "0", *launch)
    found = spanning.json(f"p-{load}/*.json")
    (summary,) = found["summary"]
    return summary  # type: ignore[no-any-return]


@pytest.mark.measures
def test_the_host_with_a_slow_link_is_named(open_mpi_spanning: Spanning) -> None:
    """Two ranks a host, so that those who wait sleep: hosts share the cores of this machine."""
    spanning = open_mpi_spanning
    spanning.count, spanning.slots = 4, 2
    spanning.rate = "500mbit,500mbit,300kbit,500mbit"
    options = ("-o", "n", "--passes", "6", "--trips", "40", "--quanta", "2", "--at-once", "1")
    launch = spanning.mpi.run(8)
    yielding = {"OMPI_MCA_mpi_yield_when_idle": "1"}
    options += ("--at-least", "300%")
    spanning.latitude("measure", "nodes", *options, "--", *launch, environment=yielding)
    assert spanning.json("n/nodes.json")["higher"] == ["node3"]
