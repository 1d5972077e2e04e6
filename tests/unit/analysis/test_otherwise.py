"""Other computation: against programs that were written so, and by hand."""

from pathlib import Path

import numpy as np
import pytest

import latitude
from latitude import InputError, _core
from latitude.analysis.otherwise import Otherwise
from support.sections import known, waits_in

NETWORK = latitude.Network(L=3000, o=500, G=0, S="1KiB")


def program(tmp_path: Path, first: int, second: int, third: int) -> latitude.Program:
    path = tmp_path / f"{first}-{second}-{third}.goal"
    path.write_text(
        "num_ranks 2\n"
        f"rank 0 {{\na: calc {first}\nb: send 1b to 1 tag 7\nb requires a\n}}\n"
        f"rank 1 {{\na: calc {second}\nb: recv 1b from 0 tag 7\nc: calc {third}\n"
        "b requires a\nc requires b\n}\n"
    )
    return latitude.load(path)


def test_balanced_is_the_program_with_equal_ranks(tmp_path: Path) -> None:
    """10 and 5 + 5 µs to 20 and 0; both ranks have 20 in the mean of 30 and 10."""
    unequal = program(tmp_path, 30000, 5000, 5000)
    found = latitude.analyze(unequal, NETWORK, what_if=["balanced"])
    (balanced,) = found.what_if
    equal = latitude.analyze(program(tmp_path, 20000, 10000, 10000), NETWORK)
    assert balanced.T_ns == equal.baseline.T_ns == 20000 + 4000 + 10000
    assert balanced.slope == equal.sensitivity.slope
    assert balanced.parallel == known(equal.efficiency).predicted.parallel
    assert balanced.scaled_ns == 40000
    assert [t.delta for t in balanced.tolerance] == [t.delta for t in equal.tolerance]
    assert found.baseline.T_ns == 30000 + 4000 + 5000  # as it is


def test_a_rank_that_does_not_compute_gets_nothing(tmp_path: Path) -> None:
    (balanced,) = latitude.analyze(
        program(tmp_path, 30000, 0, 0), NETWORK, what_if=["balanced"]
    ).what_if
    assert balanced.T_ns == 34000


def test_before_a_kind_of_call(lulesh: Path) -> None:
    """All of what is computed before MPI_Allreduce, and not a ns of the rest."""
    loaded = latitude.load(lulesh)
    found = latitude.analyze(loaded, what_if=["MPI_Allreduce=0.5", "MPI_Allreduce=1"])
    times = waits_in(found).times
    before = sum(
        ns
        for call, what, ns in zip(times.call, times.what, times.ns, strict=True)
        if (call, what) == ("MPI_Allreduce", "computation")
    )
    half, same = found.what_if
    assert half.scaled_ns == pytest.approx(before, rel=1e-12)
    assert found.baseline.T_ns - before / 2 <= half.T_ns < found.baseline.T_ns
    assert (same.T_ns, same.scaled_ns) == (found.baseline.T_ns, 0)


@pytest.mark.parametrize("factor", [0.5, 0.333, 1.7])
def test_rounding_never_adds_up(lulesh: Path, factor: float) -> None:
    """Keeps computation right to 1 ns from any vertex of a rank to any other."""
    graph = latitude.load(lulesh).graph
    computes = graph.kind == _core.Kind.calc
    scaled = graph.scaled(np.where(computes, factor, 1.0))
    for first, last in zip(graph.rank_begin[:-1], graph.rank_begin[1:], strict=True):
        own = slice(int(first), int(last))
        exact = np.cumsum(np.where(computes[own], graph.value[own], 0)) * factor
        found = np.cumsum(np.where(computes[own], scaled.value[own], 0))
        assert np.abs(found - exact).max() < 1.001
    assert np.array_equal(scaled.value[~computes], graph.value[~computes])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("faster", "write balanced"),
        ("=0.5", "write balanced"),
        ("MPI_Send=-1", "not a factor"),
        ("MPI_Send=much", "not a factor"),
    ],
)
def test_what_says_nothing_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Otherwise.parse(text)


def test_a_place_that_is_not_there_is_refused(two_ranks: Path) -> None:
    with pytest.raises(InputError, match="nothing here is called 'solve'"):
        latitude.analyze(latitude.load(two_ranks), what_if=["solve=0.5"])
    graph = latitude.load(two_ranks).graph
    with pytest.raises(InputError, match="factor"):
        graph.scaled(np.ones(1))
    with pytest.raises(InputError, match="factor of 0 or more"):
        graph.scaled(np.full(graph.vertices, np.nan))
