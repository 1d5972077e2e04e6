"""Replay: what a traced run took beyond the model stays in its graph."""

from pathlib import Path

import pytest

import latitude as lat
from latitude.analysis.replay import replayed
from latitude.model.links import AddedLatency
from support.command import Run
from support.native_trace import MESSAGES, RANKS, rank_file, write
from support.schemas import document

FREE = lat.Network(L=0, o=0, G=0, S=1 << 20)
# Each rank of the ring computes 1,000 and 10 ns a message, spends 500 ns in each of two calls, and
# begins 1,000 ns after the rank before it.
MODEL_NS = MESSAGES * 1010 + 200
TRACED_NS = MESSAGES * 2010 + 200 + (RANKS - 1) * 1000


@pytest.fixture
def ring(tmp_path: Path) -> Path:
    return write(tmp_path / "ring", {rank: rank_file(rank) for rank in range(RANKS)})


def runtime(program: lat.Program, network: lat.Network) -> float:
    return lat.analyze(program, network).baseline.T_ns


def test_replayed_a_run_takes_what_it_took(ring: Path) -> None:
    program = lat.load(ring, traced_times=True)
    assert runtime(program, FREE) == MODEL_NS
    again = replayed(program, FREE)
    assert runtime(again, FREE) == TRACED_NS
    # Each message is sent 2,010 ns after the one before, and finds its receiver 1,000 ns later.
    assert runtime(again, lat.Network(L=700, o=0, G=0, S=1 << 20)) >= TRACED_NS
    (notice,) = [each for each in again.warnings if each.code == "replayed"]
    assert "beyond the model" in notice.message
    assert runtime(program, FREE) == MODEL_NS  # as it was


def test_where_the_model_is_slower_nothing_is_shortened(ring: Path) -> None:
    slow = lat.Network(L=1e6, o=0, G=0, S=1 << 20)
    program = lat.load(ring, traced_times=True)
    assert runtime(replayed(program, slow), slow) >= runtime(program, slow) > TRACED_NS


def test_a_slower_network_of_the_traced_run_is_known(ring: Path) -> None:
    """Time that the base latency explains is not added again."""
    program = lat.load(ring, traced_times=True)
    based = replayed(program, FREE, AddedLatency(400.0))
    slower = lat.Network(L=400, o=0, G=0, S=1 << 20)
    assert runtime(based, slower) == TRACED_NS
    added = [replayed(program, FREE, AddedLatency(base)).graph.value.sum() for base in (0.0, 400.0)]
    assert added[1] < added[0]


@pytest.mark.thorough
def test_the_option_does_it(latitude: Run, ring: Path) -> None:
    options = ("--L", "0ns", "--o", "0ns", "--G", "0ns/B", "--S", "1MiB", "--json", "-")
    for words, T_ns in (((), MODEL_NS), (("--replay",), TRACED_NS)):
        done = latitude("analyze", str(ring), *words, *options)
        assert done.returncode == 0, done.stderr
        assert f'"T_ns": {float(T_ns)}' in done.stdout
        assert ('"replayed"' in done.stdout) == bool(words)
    forecast = ("forecast", str(ring), "--latency", "normal(mean=100ns,sd=1ns)", *options)
    plain, again = (latitude(*forecast, *words) for words in ((), ("--replay",)))
    assert plain.returncode == again.returncode == 0, plain.stderr + again.stderr
    means = [document(done.stdout)["runtime"]["mean_ns"]["value"] for done in (plain, again)]
    assert MODEL_NS < means[0] < MODEL_NS + 500
    assert TRACED_NS - 1 < means[1] < TRACED_NS + 1


def test_what_cannot_be_replayed_says_why(latitude: Run, tmp_path: Path, examples: Path) -> None:
    hosts = {rank: rank_file(rank, host=f"node{rank}") for rank in range(RANKS)}
    cases = (
        ((write(tmp_path / "hosts", hosts),), "its clock was not compared with others'"),
        ((examples / "two-ranks.goal",), "a GOAL file holds no run to replay"),
        ((examples / "lulesh-8-i20-s8.tar.xz",), "does not say whether the ranks' clocks agree"),
        ((tmp_path / "hosts", "--compare", "o=1us,2us"), "--compare: with --replay all"),
    )
    for words, why in cases:
        done = latitude("analyze", *map(str, words), "--replay")
        assert done.returncode == 2
        assert why in done.stderr
        assert "Traceback" not in done.stderr
    with pytest.raises(lat.InputError, match="built without its times"):
        replayed(lat.load(tmp_path / "hosts"), FREE)
