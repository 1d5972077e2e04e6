"""Summaries in one pass: exact moments, quantiles within the stated error, bounded memory."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latitude.statistics.sketch import ACCURACY, Sketch
from latitude.statistics.stream import Moments, stream
from support.command import python

LATENCIES = st.lists(st.floats(1e-2, 1e12), min_size=2, max_size=200)


@given(LATENCIES, st.integers(1, 199))
def test_moments_do_not_depend_on_pieces(values: list[float], cut: int) -> None:
    whole, pieces, other = Moments(), Moments(), Moments()
    whole.add(values)
    pieces.add(values[:cut])
    other.add(values[cut:])
    pieces.merge(other)
    assert pieces.count == len(values)
    assert (pieces.least, pieces.most) == (min(values), max(values))
    assert pieces.mean == pytest.approx(np.mean(values), rel=1e-12)
    spread = max(float(np.std(values, ddof=1)), 1e-9 * max(values))
    assert pieces.sd == pytest.approx(np.std(values, ddof=1), abs=1e-6 * spread)


@given(LATENCIES, st.integers(0, 200), st.floats(0, 1))
def test_sketch_keeps_its_word(values: list[float], cut: int, share: float) -> None:
    sketch, other = Sketch(), Sketch()
    sketch.add(values[:cut])
    other.add(values[cut:])
    sketch.merge(other)
    rank = int(share * (len(values) - 1))
    exact = sorted(values)[rank]
    assert sketch.quantile(share) == pytest.approx(exact, rel=2 * ACCURACY)
    means, counts = sketch.cells()
    assert counts.sum() == sketch.count == len(values)
    assert float(np.dot(means, counts)) == pytest.approx(sum(values), rel=1e-12)


def test_zeros_and_eternities_are_counted() -> None:
    sketch = Sketch()
    sketch.add([0.0, 0.0, 1e300])
    assert sketch.count == 3
    assert sketch.quantile(0.0) == 0.0
    assert sketch.quantile(1.0) == 1e300


def test_reservoir_is_uniform_and_repeatable() -> None:
    pieces = [np.arange(k, k + 1000, dtype=float) for k in range(0, 20_000, 1000)]
    one, two = (stream(pieces, 3, size=2000) for _ in range(2))
    assert not one.complete
    np.testing.assert_array_equal(one.chosen, two.chosen)
    assert np.unique(one.chosen).size == 2000
    assert one.chosen.mean() == pytest.approx(10_000, rel=0.05)
    assert stream(pieces, 1, size=0).chosen.size == 0
    assert stream(pieces, 1, size=50_000).complete


SCRIPT = """
import sys
from latitude.samples import iter_samples
from latitude.samples.columns import LATENCY
from latitude.statistics.stream import stream
from support.peak import peak_bytes
stream((f[LATENCY].to_numpy() for f in iter_samples(sys.argv[1], columns=())), 1, size=1000)
before = peak_bytes()
s = stream((f[LATENCY].to_numpy() for f in iter_samples(sys.argv[2], columns=())), 1, size=1000)
print(s.moments.count, peak_bytes() - before)
"""


@pytest.mark.thorough
def test_memory_does_not_grow_with_the_samples(tmp_path: Path) -> None:
    """A stand-in for 1e8: 1e6 and 4e6 samples need the same memory (32 MB of doubles apart)."""
    block = "".join(f"{1000 + (k * 7919) % 9001}\n" for k in range(1_000_000))
    small, large = tmp_path / "small.txt", tmp_path / "large.txt"
    small.write_text("latency_ns\n" + block)
    large.write_text("latency_ns\n" + block * 4)
    count, growth = map(int, python("-c", SCRIPT, small, large).split())
    assert count == 4_000_000
    assert growth < 8 << 20
