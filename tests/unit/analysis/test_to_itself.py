"""Messages of a rank to itself in results: free of the network, and in no pair of ranks."""

import json
from pathlib import Path

from latitude import _core, load
from latitude.analysis.messages import crossing, rank_pairs
from latitude.analysis.place.traffic import volume
from latitude.experiments.validation.measured_network import most_bytes
from support.command import Run

PROGRAM = """num_ranks 2
rank 0 {
a: calc 1000
b: send 4096b to 0 tag 1
c: recv 4096b from 0 tag 1
d: send 8b to 1 tag 2
b requires a
c requires b
d requires c
}
rank 1 {
e: recv 8b from 0 tag 2
}
"""
NETWORK = ("--L", "3us", "--o", "1us", "--G", "1ns", "--S", "64KiB")


def program(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "program.goal"
    path.write_text(text)
    return path


def test_results_have_the_overheads_only(latitude: Run, tmp_path: Path) -> None:
    """T = 1 µs + o + o, then a message of 8 bytes to rank 1."""
    done = latitude("analyze", program(tmp_path, PROGRAM), *NETWORK, "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "out" / "analysis.json").read_text())
    assert found["baseline"]["T_ns"] == 1000 + 2000 + 1000 + 3000 + 7 + 1000
    assert found["baseline"]["lambda_L"] == 1
    assert [(pair["source"], pair["destination"]) for pair in found["pairs"]["listed"]] == [(0, 1)]
    assert found["graph"]["messages"] == 2
    pairs = [
        line for line in (tmp_path / "out" / "slack.csv").read_text().splitlines() if "->" in line
    ]
    assert [line.split(",")[:3] for line in pairs] == [["pair", "0->1", "1"]]


def test_only_messages_between_ranks_cross_the_network(tmp_path: Path) -> None:
    graph = load(program(tmp_path, PROGRAM)).graph
    assert graph.value[crossing(graph)].tolist() == [8]


def test_ranks_are_placed_by_what_they_send_to_others(tmp_path: Path) -> None:
    """A message of 8 bytes, 7 of them gaps, from rank 0 to 1; a third slot for a rank is free."""
    traffic = volume(load(program(tmp_path, PROGRAM)).graph, 3)
    assert traffic.latencies.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert traffic.bytes.tolist() == [[0, 7, 0], [7, 0, 0], [0, 0, 0]]


def test_the_network_is_measured_with_messages_that_cross_it(tmp_path: Path) -> None:
    large = PROGRAM.replace("4096b", "1048576b")
    assert most_bytes(load(program(tmp_path, large))) == 4096
    assert most_bytes(load(program(tmp_path, large.replace("8b", "5000b")))) == 8192


def test_a_program_that_sends_to_itself_alone_tolerates_any_latency(
    latitude: Run, tmp_path: Path
) -> None:
    text = "num_ranks 1\nrank 0 {\na: send 8b to 0 tag 1\nb: recv 8b from 0 tag 1\n}\n"
    done = latitude("analyze", program(tmp_path, text), *NETWORK, "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "This program sends no message between ranks: network latency" in done.stdout
    found = json.loads((tmp_path / "out" / "analysis.json").read_text())
    assert found["pairs"]["listed"] == []
    assert found["slack"]["pairs"] == 0


def test_what_one_waits_for_at_the_gap_is_of_the_message_there(tmp_path: Path) -> None:
    """The last send to rank 1 starts 4,095 ns after the first, and the one to oneself with it."""
    text = """num_ranks 2
rank 0 {
a: send 4096b to 1 tag 1
b: send 1b to 1 tag 2
c: send 1b to 0 tag 3
d: recv 1b from 0 tag 3
e: calc 100000
c irequires b
e requires d
}
rank 1 {
f: recv 4096b from 0 tag 1
g: recv 1b from 0 tag 2
}
"""
    graph = load(program(tmp_path, text)).graph
    network = _core.Network(L=3000.0, o=1000.0, G=1.0, S=65536, gap="send")
    model = _core.Model(graph, network)
    path = model.critical_path()
    assert path.T_ns == 4095 + 1000 + 1000 + 100000
    assert path.byte_count == 4095
    pairs = rank_pairs(model.slack(), path.T_ns)
    assert pairs.lambda_G.tolist() == [4095.0]
