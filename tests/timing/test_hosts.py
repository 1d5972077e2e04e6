"""Hosts of this machine whose links have a rate: what is timed between them."""

import sys
from collections.abc import Mapping
from math import inf
from pathlib import Path

import pytest

from latitude.samples import read_samples
from support.measured import half_trip
from support.mpi.library import openmpi
from support.mpi.spanning import UCX_BETWEEN, Spanning
from support.mpi.stacks import UCX, stack
from support.paths import EXAMPLE_PROGRAMS
from support.timing import SHARP, Machine

CARRIED = 1448 / 1514
"""Share of a frame that is TCP's load."""
HALO = ("--iterations", "40", "--compute", "4ms", "--bytes", "1024")
NETWORK = ("--L", "15us", "--o", "2us", "--G", "20ns", "--S", "8KiB")
SENDER = "import socket; s = socket.create_connection(('node2', 5000)); s.sendall(bytes(2_000_000))"
RECEIVER = """
import socket, time
server = socket.create_server(("", 5000))
print("up", flush=True)
connection, _ = server.accept()
begin, count = time.monotonic(), 0
while data := connection.recv(1 << 16):
    count += len(data)
print(count / (time.monotonic() - begin))
"""


def test_a_link_has_its_rate(machine: Machine, builds: Path, tmp_path: Path) -> None:
    """Found: 10 % more or less. Of 1,514 bytes of a frame TCP carries 1,448.

    The link's bucket holds two frames: 1.3 ms of this rate, by which a timer may be late.
    """
    spanning = Spanning(openmpi(builds), tmp_path, rate="20mbit")
    (tmp_path / "receive.py").write_text(RECEIVER)
    line = (
        f"/mnt/enter node2 {sys.executable} $PWD/receive.py > got & "
        'until grep -q up got; do sleep 0.1; done; "$@"; wait; tail -n 1 got'
    )

    def block() -> Mapping[str, float]:
        done = spanning.run("sh", "-c", line, "sh", sys.executable, "-c", SENDER)
        return {"share of the rate": float(done.stdout) / (20e6 / 8)}

    machine.holds(block, {"share of the rate": (0.90, 0.99)})


@pytest.mark.parametrize("name", UCX)
def test_inside_and_between_nodes_are_told_apart(
    machine: Machine, builds: Path, tmp_path: Path, name: str
) -> None:
    """Found: a byte that costs 20 % more or less, links that are taken for others.

    One pair is at work at a time, on all cores. The first two packets meet no rate.
    """
    spanning = Spanning(stack(name, builds), tmp_path, rate="200mbit", slots=2, share_cores=True)
    options = ["-o", "l", "--most", "128KiB", "--time", "4s", "--quantile", "10%", "--no-pin"]
    options += ["--starts", "1"]

    def block() -> Mapping[str, float]:
        launch = spanning.mpi.run(4)
        spanning.latitude("measure", "loggps", *options, "--force", "--", *launch)
        between, inside = spanning.json("l/loggps.json")["classes"]
        per_byte = (half_trip(between, 128) - half_trip(between, 16)) / (112 << 10)
        return {
            "time of a byte": per_byte / (8 / 0.2 / CARRIED),
            "G inside": inside["G_ns_per_byte"]["value"] / between["G_ns_per_byte"]["value"],
        }

    machine.holds(block, {"time of a byte": (0.9, 1.1), "G inside": (0, 0.5)}, stray=SHARP)


@pytest.mark.parametrize("name", UCX)
def test_samples_between_clocks_that_differ(
    machine: Machine, builds: Path, tmp_path: Path, name: str
) -> None:
    """Found: a correction that is a millisecond off. The clocks are 1,000 s apart."""
    spanning = Spanning(stack(name, builds), tmp_path)
    options = ("--size", "4B", "--iterations", "50", "--warmup", "5")
    count = 0

    def block() -> Mapping[str, float]:
        nonlocal count
        count += 1
        out = tmp_path / f"p{count}"
        spanning.latitude("measure", "pingpong", "-o", out, *options, "--", *spanning.mpi.run(2))
        samples = read_samples(out)
        return {
            "median": samples["latency_ns"].median(),
            "error of the clocks": samples["clock_error_ns"].max(),
        }

    machine.holds(block, {"median": (0, 1e6), "error of the clocks": (0, 1e6)}, stray=SHARP)


def test_latency_and_its_variation_rise_with_load(
    machine: Machine, builds: Path, tmp_path: Path
) -> None:
    """Figs. 2 and 3 of [U]: the ping-pong's messages wait for the load's on the link.

    Found: a load that does not flow, or flows beside the measurement's time.
    """
    spanning = Spanning(openmpi(builds), tmp_path, rate="200mbit", slots=2)
    launch = spanning.mpi.run(2, "--map-by", "node")
    options = ["--size", "4B", "--iterations", "250", "--warmup", "10"]
    options += ["--load-launcher", " ".join(spanning.mpi.run(4))]
    options += ["--peak", "23.9MB/s", "--message", "32KiB"]
    count = 0

    def beside(load: str) -> dict[str, float]:
        out = tmp_path / f"p-{count}-{load}"
        words = ["measure", "pingpong", "-o", out, "--with-load", load, *options]
        spanning.latitude(*words, "--", "chrt", "-i", "0", *launch)
        (summary,) = spanning.json(f"{out.name}/*.json")["summary"]
        return summary

    def block() -> Mapping[str, float]:
        nonlocal count
        count += 1
        few, many = beside("5%"), beside("80%")
        return {
            "mean": many["mean_ns"] / few["mean_ns"],
            "standard deviation": many["sd_ns"] / few["sd_ns"],
        }

    machine.holds(block, {"mean": (5, inf), "standard deviation": (3, inf)}, stray=SHARP)


def test_the_host_with_a_slow_link_is_named(machine: Machine, builds: Path, tmp_path: Path) -> None:
    """Found: none is named, or another. Two ranks per host, so that those who wait sleep."""
    rate = "500mbit,500mbit,300kbit,500mbit"
    spanning = Spanning(openmpi(builds), tmp_path, count=4, slots=2, rate=rate)
    options = ["--passes", "6", "--trips", "40", "--quanta", "2", "--at-once", "1"]
    options += ["--at-least", "300%", "--force"]
    yielding = {"OMPI_MCA_mpi_yield_when_idle": "1"}

    def block() -> Mapping[str, float]:
        words = ["measure", "nodes", "-o", "n", *options, "--", *spanning.mpi.run(8)]
        spanning.latitude(*words, environment=yielding)
        return {"node3 alone": spanning.json("n/nodes.json")["higher"] == ["node3"]}

    machine.holds(block, {"node3 alone": (1, 1)}, stray=SHARP)


@pytest.mark.parametrize("name", UCX)
def test_messages_between_hosts_are_delayed_once(
    machine: Machine, builds: Path, tmp_path: Path, name: str
) -> None:
    """Found: messages inside a host that are delayed, or any that are delayed twice."""
    spanning = Spanning(stack(name, builds), tmp_path, slots=2)
    apart = spanning.mpi.program("apart.c")
    words = ["inject", "--flow", "20ms", "-o", "i", "--force", "--"]
    words += [str(word) for word in spanning.mpi.run(4, apart, 20)]

    def block() -> Mapping[str, float]:
        done = spanning.latitude(*words, environment=UCX_BETWEEN)
        near, *far = (float(line.split()[2]) / 1e6 for line in done.stdout.splitlines())
        return {"inside, ms": near, "between, ms": max(far)}

    machine.holds(block, {"inside, ms": (0, 10), "between, ms": (20, 22)}, stray=SHARP)


@pytest.mark.parametrize("name", UCX)
def test_predictions_meet_measurements_over_a_link(
    machine: Machine, builds: Path, tmp_path: Path, name: str
) -> None:
    """Found: a latency that is predicted or delayed twice, or by half: 25 % and more."""
    spanning = Spanning(stack(name, builds), tmp_path)
    halo = spanning.mpi.program(EXAMPLE_PROGRAMS / "halo.c")
    command = spanning.mpi.run(2, halo, *HALO)
    count = 0

    def block() -> Mapping[str, float]:
        nonlocal count
        count += 1
        options = (*NETWORK, "-o", f"v{count}", "--delta", "0,8ms", "--repetitions", "2")
        spanning.latitude(
            "validate", "--only-delta", *options, "--", *command, environment=UCX_BETWEEN
        )
        found = spanning.json(f"v{count}/validation.json")
        return {"RRMSE": found["rrmse"], "latencies on the path": found["levels"][1]["lambda_L"]}

    within = {"RRMSE": (0, 0.1), "latencies on the path": (35, 50)}
    machine.holds(block, within, stray=SHARP)
