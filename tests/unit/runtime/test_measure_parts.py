"""Parts of the programs of `latitude measure`: gaps, pairs, rounds, stopping, messages' places."""

import subprocess
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from latitude.statistics.higher_members import Pairs, higher_members
from support.compiling import STRICT, built
from support.needed import needed
from support.paths import RUNTIME

BENCH = RUNTIME / "bench"
MPICC = "mpicc.openmpi"
Parts = Callable[..., list[str]]
STD_MT19937_10000TH = 4123659995
"""[rand.predef] of the C++ standard."""


@pytest.fixture(scope="module")
def parts() -> Parts:
    """The parts, in a program that prints what they compute."""
    needed(MPICC, "need-mpi.sh")
    made_of = ["tests/parts.c", "load/mt19937.c", "load/pairs.c", "nodes/rounds.c"]
    made_of += ["samples/precision.c", "loggps/buffer.c", "common/job.c", "../clock/clock.c"]
    sources = [BENCH / name for name in made_of]
    flags = [*STRICT, "-O2", "-fsanitize=undefined"]
    program = built("parts", *flags, *sources, "-lm", compiler=MPICC)

    def run(*words: object) -> list[str]:
        done = subprocess.run(
            [program, *map(str, words)], capture_output=True, check=True, encoding="utf-8"
        )
        assert done.stderr == ""
        return done.stdout.splitlines()

    return run


@pytest.mark.parametrize("size", [1, 4096, 1 << 20])
def test_cold_messages_lie_apart_from_those_before(parts: Parts, size: int) -> None:
    """No message is within 1 MiB of the 16 before it, or reuses a place before the room is full."""
    room, *found = map(int, parts("places", 1, size, 20_000))
    places = np.array(found)
    assert room >= 64 << 20
    assert places.min() >= 0
    assert places.max() + size <= room
    assert (places % 64 == 0).all()
    assert np.ptp(places) > 0.99 * (room - size)
    for before in range(1, 17):
        assert np.abs(places[before:] - places[:-before]).min() >= 1 << 20
    assert np.unique(places).size == places.size


def test_warm_messages_lie_at_one_place(parts: Parts) -> None:
    assert set(parts("places", 0, 100, 50)[1:]) == {"0"}


def test_the_twister_is_that_of_the_cpp_standard(parts: Parts) -> None:
    assert int(parts("mt", 5489, 10000)[-1]) == STD_MT19937_10000TH


@pytest.mark.parametrize("seed", [0, 1, 20261121, 2**32 - 1])
def test_the_twister_is_numpys(parts: Parts, seed: int) -> None:
    reference = np.random.MT19937()
    reference._legacy_seeding(seed)  # noqa: SLF001 - the plain seeding is nowhere else
    assert list(map(int, parts("mt", seed, 2000))) == reference.random_raw(2000).tolist()


def test_gaps_are_exponential(parts: Parts) -> None:
    gaps = np.array(list(map(float, parts("gaps", 7, 50_000, 250.0))))
    assert gaps.min() > 0
    assert stats.kstest(gaps, stats.expon(scale=250.0).cdf).pvalue > 0.01


@pytest.mark.parametrize("players", range(2, 12))
def test_everybody_meets_everybody_once(parts: Parts, players: int) -> None:
    met = []
    for line in parts("rounds", players):
        seats = [tuple(map(int, word.split(":"))) for word in line.split()]
        places = set()
        for player, (partner, place) in enumerate(seats):
            if partner < 0:
                continue
            assert seats[partner] == (player, place)
            if player < partner:
                met.append((player, partner))
                places.add(place)
        assert places == set(range(len(places)))
    assert sorted(met) == [(a, b) for a in range(players) for b in range(a + 1, players)]


@pytest.mark.parametrize(
    ("nodes", "sent"),
    [
        ((0, 0), {0: 1}),
        ((0, 0, 1, 1, 2, 2), {0: 3, 2: 5, 4: 1}),
        ((0, 1, 2, 0, 1, 2), {0: 4, 1: 5, 2: 3}),
        ((0, 0, 0, 0), {0: 2, 1: 3}),
        ((0, 1, 2, 3), {0: 1, 2: 3}),
        ((0, 0, 0), {0: 1}),
        ((0, 0, 0, 1, 1), {0: 1, 2: 3}),
    ],
)
def test_load_flows_round_a_ring_of_nodes(
    parts: Parts, nodes: tuple[int, ...], sent: dict[int, int]
) -> None:
    ranks = [tuple(map(int, line.split())) for line in parts("pairs", *nodes)]
    assert {r: partner for r, (sends, _, partner) in enumerate(ranks) if sends} == sent
    assert {r: p for r, (_, receives, p) in enumerate(ranks) if receives} == {
        receiver: sender for sender, receiver in sent.items()
    }


def test_the_median_is_as_precise_as_its_order_statistics_say(parts: Parts) -> None:
    values = np.random.default_rng(3).lognormal(size=101)
    told = float(parts("precision", *values)[0])
    ordered = np.sort(values)
    half = 1.959963985 * np.sqrt(101) / 2
    low, high = int(np.floor(50.5 - half)), int(np.ceil(50.5 + half))
    assert told == pytest.approx((ordered[high] - ordered[low - 1]) / 2 / ordered[50])
    assert parts("precision", 1, 2, 3) == ["inf"]


def latencies(members: int, slow: dict[int, float], passes: int = 20, seed: int = 1) -> Pairs:
    """Latencies of all pairs, in µs, with 1 % noise; slow members are slower in all pairs."""
    random = np.random.default_rng(seed)
    return {
        (a, b): random.normal(10, 0.1, passes) + slow.get(a, 0) + slow.get(b, 0)
        for a in range(members)
        for b in range(a + 1, members)
    }


@pytest.mark.parametrize("members", [3, 4, 8, 16])
def test_a_slow_node_is_named_and_its_partners_are_not(members: int) -> None:
    found = higher_members(latencies(members, {1: 2.0}))
    assert [member.number for member in found if member.higher] == [1]
    assert found[0].excess == pytest.approx(0.2, abs=0.02)


def test_two_slow_nodes_do_not_hide_each_other() -> None:
    found = higher_members(latencies(6, {2: 3.0, 4: 1.5}))
    assert [member.number for member in found if member.higher] == [2, 4]


@pytest.mark.thorough
def test_equal_nodes_are_rarely_named() -> None:
    """The level is 5 % for all nodes, without the least effect, which would hide errors."""
    named = sum(
        any(member.higher for member in higher_members(latencies(6, {}, seed=seed), effect=0))
        for seed in range(200)
    )
    assert named <= 20  # 10 are expected; P(more than 20) is 0.1 %


def test_small_differences_name_nobody() -> None:
    pairs = latencies(6, {2: 0.3})
    assert not any(member.higher for member in higher_members(pairs))
    assert any(member.higher for member in higher_members(pairs, effect=0.01))
