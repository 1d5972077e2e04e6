"""Workers: killed at their budget of CPU time, replaced when they die."""

import os
import time

import pytest

from latitude.lab.distributions.pool import FitJob, run


def double(number: int) -> int:
    return 2 * number


def spin() -> None:
    while True:
        pass


def sleep_long() -> str:
    time.sleep(2)
    return "slept"


def die() -> None:
    os._exit(1)


@pytest.mark.thorough
def test_every_job_has_an_end() -> None:
    jobs = [
        FitJob(spin, (), 0.2),
        FitJob(double, (21,), 1.0),
        FitJob(die, (), 1.0),
        FitJob(sleep_long, (), 0.1),
        FitJob(double, (4,), 1.0),
    ]
    done = {each.index: each for each in run(jobs, 2)}
    assert sorted(done) == [0, 1, 2, 3, 4]
    assert done[0].killed
    assert done[2].died
    assert [done[index].value for index in (1, 3, 4)] == [42, "slept", 8]


@pytest.mark.thorough
def test_no_jobs_no_workers() -> None:
    assert list(run([FitJob(double, (1,), 1.0)], 8))[0].value == 2  # noqa: RUF015
