"""Observers of a series of runs."""

from typing import Protocol

from latitude.results.runs import RunRecord


class Show(Protocol):
    """Told how runs go."""

    def begin(self, total: int, done: int) -> None:
        """Begins with the numbers of all runs and of finished runs."""

    def ran(self, run: RunRecord, *, again: bool) -> None:
        """Reports an attempt; with `again` it failed and another one follows."""

    def done(self, done: int) -> None:
        """So many runs are done, by this runner and others."""

    def waits(self, why: str) -> None:
        """There is nothing to do but to wait."""

    def tell(self, what: str) -> None:
        """Something that must be known."""
