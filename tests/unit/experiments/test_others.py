"""Cores that other programs use beside a run."""

import pytest

from latitude.experiments.others import Moment

BEGIN = Moment(wall_s=100.0, all_s=5_000.0, ours_s=40.0)


@pytest.mark.parametrize(
    ("children_s", "ranks_s", "cores"),
    [
        (16.0, 0.0, 2.0),  # all programs used 36 s in 10 s
        (16.0, 15.0, 2.0),  # the children are the ranks and their launcher
        (0.5, 15.0, 2.1),  # the ranks are children of a resource manager
        (0.5, 40.0, 0.0),
    ],
)
def test_ranks_are_no_other_programs(children_s: float, ranks_s: float, cores: float) -> None:
    end = Moment(wall_s=110.0, all_s=5_036.0, ours_s=40.0 + children_s)
    assert BEGIN.others_until(end, ranks_s) == pytest.approx(cores)


def test_a_host_that_reports_no_cpu_time_tells_nothing() -> None:
    assert BEGIN.others_until(Moment(wall_s=110.0, all_s=None, ours_s=50.0), 0.0) is None
