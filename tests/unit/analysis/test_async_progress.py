"""Rendezvous that go on while a rank computes, and those that wait for its next call that waits."""

from dataclasses import replace
from pathlib import Path

import pytest

from latitude import analyze, load
from latitude.analysis.stream import analyze_stream
from latitude.model.network import Network
from latitude.results.analysis import Analysis
from latitude.trace.pieces import open_in_pieces
from support.called import CalledRank, written
from support.command import Run
from support.schemas import document

COMPUTED = 50_000
NETWORK = Network(L=1_000.0, o=0.0, G=0.0, S=0)


def overlapping(directory: Path) -> Path:
    """Two ranks post a receive and a send of 8 B, compute 50 µs, and wait for both."""
    ranks = [CalledRank(0), CalledRank(1)]
    for rank in ranks:
        other = 1 - rank.rank
        posted = rank.ireceive(100, 0, other, 8), rank.isend(100, 0, other, 8)
        rank.wait(100 + COMPUTED, 0, *posted)
    return written(directory, *ranks)


def analysed(path: Path, network: Network, *, async_progress: bool) -> Analysis:
    program = load(path, async_progress=async_progress)
    assert program.async_progress is async_progress
    return analyze(program, network)


@pytest.mark.parametrize(
    ("reading", "remaining"), [("handshake", 2), ("put", 4), ("get", 3), ("sync", 0)]
)
def test_what_follows_the_request_comes_after_what_is_computed(
    tmp_path: Path, reading: str, remaining: int
) -> None:
    """All latencies but the request's, which has come while the receiver computed.

    In `get` the sender waits for one more, and in `sync` the message is there with its request.
    """
    path = overlapping(tmp_path / "t")
    network = replace(NETWORK, rendezvous=reading)
    meanwhile = analysed(path, network, async_progress=True)
    in_calls = analysed(path, network, async_progress=False)
    assert in_calls.baseline.T_ns - meanwhile.baseline.T_ns == remaining * NETWORK.L
    assert meanwhile.model.async_progress
    assert not in_calls.model.async_progress


def test_eager_messages_need_no_answer(tmp_path: Path) -> None:
    path = overlapping(tmp_path / "t")
    eager = replace(NETWORK, S=8)
    meanwhile = analysed(path, eager, async_progress=True)
    assert meanwhile.baseline.T_ns == analysed(path, eager, async_progress=False).baseline.T_ns


def test_it_is_the_same_while_a_trace_is_read(tmp_path: Path) -> None:
    folder = overlapping(tmp_path / "t")
    times = {}
    for async_progress in (True, False):
        expected = analysed(folder, NETWORK, async_progress=async_progress)
        found = analyze_stream(open_in_pieces(folder, async_progress=async_progress), NETWORK)
        assert found.T_ns == expected.baseline.T_ns
        assert found.sensitivity.slope == expected.sensitivity.slope
        assert found.model.async_progress is async_progress
        times[async_progress] = found.T_ns
    assert times[False] == times[True] + 2 * NETWORK.L


@pytest.mark.thorough
def test_on_the_command_line(tmp_path: Path, latitude: Run) -> None:
    words = ["analyze", overlapping(tmp_path / "t"), "--L", "1us", "--o", "0ns", "--G", "0ns/B"]
    words += ["--S", "0B", "--json", "-"]
    meanwhile = document(latitude(*words, "--async-progress").stdout)
    in_calls = document(latitude(*words).stdout)
    assert (meanwhile["model"]["async_progress"], in_calls["model"]["async_progress"]) == (
        True,
        False,
    )
    assert in_calls["baseline"]["T_ns"] == meanwhile["baseline"]["T_ns"] + 2_000
