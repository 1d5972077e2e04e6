"""Whether b held during a command: a fall is a change as a rise is."""

from types import SimpleNamespace
from typing import cast

import pytest

from latitude.lab.cluster.around import run_around
from latitude.lab.results.background import BackgroundAround, Utilization


def around(before: float, after: float, *, relative: bool = False) -> BackgroundAround:
    seen = iter((before, after))
    return run_around(
        ["true"],
        lambda: cast("Utilization", SimpleNamespace(b=next(seen))),
        threshold=0.1,
        relative=relative,
    )


@pytest.mark.parametrize(("before", "after"), [(0.25, 0.75), (0.75, 0.25)])
def test_b_that_rose_or_fell_is_not_kept(before: float, after: float) -> None:
    found = around(before, after)
    assert (found.kept, found.b, found.difference) == (False, None, 0.5)


@pytest.mark.parametrize(("before", "after"), [(0.5, 0.5625), (0.5625, 0.5)])
def test_b_that_changed_little_is_the_mean(before: float, after: float) -> None:
    found = around(before, after)
    assert (found.kept, found.b, found.difference) == (True, 0.53125, 0.0625)


def test_relative_to_what_was() -> None:
    assert around(0.5, 0.25, relative=True).difference == 0.5
    assert around(0.0, 0.0, relative=True).difference == 0
    assert around(0.0, 0.1, relative=True).difference == float("inf")
