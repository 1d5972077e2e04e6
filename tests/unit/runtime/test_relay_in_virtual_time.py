"""The relay in virtual time: when each packet goes on, to the ns."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from support.compiling import STRICT, built
from support.paths import RUNTIME
from support.virtual import building

RELAY = RUNTIME / "relay"
MS, MIB = 1_000_000, 1 << 20
LARGEST = 65_535 + 64
AWAKE = 80_000
"""Before a packet is due the relay no longer sleeps."""


@dataclass(frozen=True)
class Carried:
    taken: list[int]
    given: list[int]
    totals: dict[str, int]


@pytest.fixture(scope="session")
def program() -> Path:
    sources = [RELAY / name for name in ("carry.c", "held.c", "tests/virtual_line.c")]
    flags = [*STRICT, *building.flags("relay"), "-g"]
    return built("line", *flags, *sources, building.CLOCK)


def carried(
    program: Path,
    delay: int,
    *,
    count: int = 50,
    gap: int = MS,
    length: int = 100,
    burst: int = 1,
    memory: int = MIB,
    look: int = 200,
    oversleep: int = 0,
) -> Carried:
    words = (delay, memory, look, oversleep, count, gap, length, burst)
    *rows, last = building.ran(program, *words)
    pairs = [tuple(map(int, row.split())) for row in rows]
    assert {size for *_, size in pairs} <= {length}
    totals = {name: int(value) for name, _, value in (word.partition("=") for word in last.split())}
    return Carried([taken for taken, *_ in pairs], [given for _, given, _ in pairs], totals)


@pytest.mark.parametrize("oversleep", [0, 50_000])
@pytest.mark.parametrize("look", [25, 250])
@pytest.mark.parametrize("delay", [0, 1, 1000, AWAKE, AWAKE + 1, MS, 20 * MS])
def test_each_packet_goes_on_when_it_is_due(
    program: Path, delay: int, look: int, oversleep: int
) -> None:
    """A sleep that ends late costs nothing, as the last of a wait is spent awake."""
    found = carried(program, delay, look=look, oversleep=oversleep)
    assert len(found.given) == 50
    for taken, given in zip(found.taken, found.given, strict=True):
        assert delay <= given - taken <= delay + 5 * look
    assert found.taken == pytest.approx([n * MS for n in range(50)], abs=5 * look)
    late = [g - t - delay - look for t, g in zip(found.taken, found.given, strict=True)]
    carried_all = {"packets": 50, "bytes": 5000, "refused": 0, "full": 0, "left": 0}
    assert found.totals == carried_all | {"late_ns": sum(late), "latest_ns": max(late)}


@pytest.mark.parametrize("burst", [1, 7, 64, 65, 500])
def test_bursts_keep_their_order_and_none_is_early(program: Path, burst: int) -> None:
    """The n-th packet has the byte n in it, which the program looks at."""
    found = carried(program, 5 * MS, count=1000, burst=burst, length=60)
    assert len(found.given) == 1000
    early = [g for t, g in zip(found.taken, found.given, strict=True) if g - t < 5 * MS]
    assert early == []
    assert found.given == sorted(found.given)
    assert found.totals["full"] == found.totals["left"] == 0


@pytest.mark.parametrize("length", [1, 1500, LARGEST - 8, LARGEST])
@pytest.mark.parametrize("memory", [3 * LARGEST, 5 * LARGEST + 1, MIB])
def test_what_has_no_room_waits_outside(program: Path, memory: int, length: int) -> None:
    """Nothing is lost, is early or changes its order; memory stays what it was."""
    found = carried(program, 5 * MS, count=3000, gap=50_000, length=length, memory=memory)
    assert len(found.given) == found.totals["packets"] == 3000
    assert all(g - t >= 5 * MS for t, g in zip(found.taken, found.given, strict=True))
    at_once = most_at_once(found)
    assert at_once * (length + 16) <= memory
    # 5 ms hold 100 packets; the end of the memory, and room for the largest one, stay free.
    if 101 * (length + 24) + 2 * LARGEST <= memory:
        assert found.totals["full"] == 0
    if 100 * length > memory:
        assert found.totals["full"] > 0


def most_at_once(found: Carried) -> int:
    """Packets held at one time."""
    changes = sorted([(t, 1) for t in found.taken] + [(g, 0) for g in found.given])
    held = most = 0
    for _, comes in changes:
        held += 1 if comes else -1
        most = max(most, held)
    return most


@pytest.mark.parametrize("memory", [LARGEST, 2 * LARGEST])
def test_memory_for_less_than_two_packets_is_refused(program: Path, memory: int) -> None:
    with pytest.raises(AssertionError):
        carried(program, MS, memory=memory)
