"""Slack and bytes by pair as `analyze` writes them, where a message waits for another end."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from support.command import Run

RENDEZVOUS = """num_ranks 2
rank 0 {
a: send 2000b to 1 tag 1
b: calc 100000
b requires a
}
rank 1 {
c: recv 2000b from 0 tag 1
}
"""
HELD_UP = """num_ranks 3
rank 0 {
a: send 10000b to 1 tag 1
b: send 8b to 2 tag 2
}
rank 1 {
c: recv 10000b from 0 tag 1
}
rank 2 {
d: recv 8b from 0 tag 2
e: calc 50000
e requires d
}
"""
STARTS_WITH_A_HELD_SEND = """num_ranks 2
rank 0 {
d: recv 1000b from 1 tag 1
e: recv 1000b from 1 tag 2
}
rank 1 {
a: send 1000b to 0 tag 1
b: send 1000b to 0 tag 2
c: calc 90000
c irequires b
}
"""


def analysed(latitude: Run, directory: Path, text: str, *options: str) -> dict[str, Any]:
    (directory / "program.goal").write_text(text)
    done = latitude("analyze", directory / "program.goal", *options, "-o", directory / "out")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads((directory / "out" / "analysis.json").read_text())
    return found


@pytest.mark.parametrize("reading", ["handshake", "put", "get", "llamp", "sync"])
def test_a_rendezvous_whose_sender_is_critical_has_no_slack(
    reading: str, latitude: Run, tmp_path: Path
) -> None:
    options = ("--L", "1us", "--o", "100ns", "--G", "1ns", "--S", "1000B", "--rendezvous", reading)
    found = analysed(latitude, tmp_path, RENDEZVOUS, *options)
    (group,) = found["slack"]["by_call"]
    assert (group["messages"], group["critical"], group["tight"]) == (1, 1, 1)
    assert found["pairs"]["listed"][0]["least_slack_ns"] == 0
    rows = list(csv.DictReader((tmp_path / "out" / "slack.csv").read_text().splitlines()))
    assert all(float(row["least_slack_ns"]) == 0 and row["critical"] == "1" for row in rows)


def test_bytes_at_the_gap_are_those_of_the_message_that_holds_it(
    latitude: Run, tmp_path: Path
) -> None:
    found = analysed(latitude, tmp_path, HELD_UP, "--gap", "send", "--G", "3ns")
    assert [pair["lambda_G"] for pair in found["pairs"]["listed"]] == [9999, 7]


def test_a_computation_that_starts_with_a_held_send(latitude: Run, tmp_path: Path) -> None:
    options = ("--gap", "send", "--G", "3ns", "--cpu-order", "none")
    found = analysed(latitude, tmp_path, STARTS_WITH_A_HELD_SEND, *options)
    assert found["baseline"]["T_ns"] == 999 * 3 + 90000
    assert [pair["lambda_G"] for pair in found["pairs"]["listed"]] == [999]
