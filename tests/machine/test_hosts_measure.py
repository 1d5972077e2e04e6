"""`latitude measure` between hosts: what it finds and keeps, whatever the times."""

import pytest

from latitude.model.cluster_file import read_cluster
from latitude.samples import read_samples
from support.mpi.spanning import Spanning

YIELDING = {"OMPI_MCA_mpi_yield_when_idle": "1"}


def test_links_inside_and_between_nodes_are_classes(spanning: Spanning) -> None:
    spanning.rate, spanning.slots, spanning.share_cores = "200mbit", 2, True
    options = ("-o", "l", "--most", "4KiB", "--time", "2s", "--no-pin", "--starts", "1")
    launch = spanning.mpi.run(4)
    done = spanning.latitude("measure", "loggps", *options, "--", *launch, environment=YIELDING)
    assert "LogGPS between nodes, 2 pairs of ranks" in done.stdout, done.stderr
    found = spanning.json("l/loggps.json")
    assert [rank["node"] for rank in found["ranks"]] == [0, 0, 1, 1]
    assert [each["pairs"] for each in found["classes"]] == [2, 2]
    network = read_cluster(spanning.directory / "l" / "cluster.toml").network()
    (rule,) = network.rules
    written = [(each.L, each.o) for each in (network, rule)]
    values = [(each["L_ns"]["value"], each["o_ns"]["value"]) for each in found["classes"]]
    assert written == [pytest.approx(each, rel=1e-3, abs=1e-3) for each in values]


def test_samples_say_where_ranks_ran(spanning: Spanning) -> None:
    """The clocks are 1,000 s apart, and are corrected to less than the latency of a message."""
    (spanning.directory / "topology.conf").write_text("SwitchName=leaf Nodes=node[1-2]\n")
    options = ["-o", "p", "--size", "4B", "--iterations", "50", "--warmup", "5"]
    options += ["--topology", "topology.conf"]
    spanning.latitude("measure", "pingpong", *options, "--", *spanning.mpi.run(2))
    samples = read_samples(spanning.directory / "p")
    assert len(samples) == 50
    assert (samples["nodes"] == 2).all()
    assert (samples["placement"] == "same group").all()
    assert (samples["latency_ns"] > 0).all()
    assert (samples["clock_error_ns"] > 0).all()
    assert samples["clock_error_ns"].max() < 500e9


def test_load_of_other_ranks_flows_beside_a_measurement(open_mpi_spanning: Spanning) -> None:
    spanning = open_mpi_spanning
    spanning.rate, spanning.slots = "200mbit", 2
    launch = spanning.mpi.run(2, "--map-by", "node")
    options = ["--with-load", "5%", "--load-launcher", " ".join(spanning.mpi.run(4))]
    options += ["--peak", "23.9MB/s", "--message", "32KiB", "-o", "p"]
    options += ["--size", "4B", "--iterations", "10", "--warmup", "2"]
    spanning.latitude("measure", "pingpong", *options, "--", *launch, environment=YIELDING)
    load = spanning.json("p/*.json")["load"]
    assert load["asked"] == 0.05
    assert all(pair["messages"] > 0 for pair in load["pairs"])


def test_hosts_are_compared(open_mpi_spanning: Spanning) -> None:
    spanning = open_mpi_spanning
    spanning.count, spanning.slots = 4, 2
    options = ("-o", "n", "--passes", "6", "--trips", "10", "--quanta", "2", "--at-once", "1")
    words = ["measure", "nodes", *options, "--", *spanning.mpi.run(8)]
    spanning.latitude(*words, environment=YIELDING)
    found = spanning.json("n/nodes.json")
    assert sorted(each["name"] for each in found["members"]) == [f"node{n}" for n in (1, 2, 3, 4)]
