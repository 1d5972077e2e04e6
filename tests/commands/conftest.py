"""Fixtures that tests of several commands share."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module")
def dask() -> Iterator[str]:
    """The address of a Dask scheduler with two workers, each a process."""
    from distributed import LocalCluster  # noqa: PLC0415 - half a second of each collection of tests

    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as cluster:
        yield cluster.scheduler_address
