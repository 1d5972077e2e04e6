"""Observers of a series of runs."""

from typing import Protocol

from latitude.results.runs import RunRecord


class Show(Protocol):
    """Observer of a series of runs."""

    def begin(self, total: int, done: int) -> None:
        """Begins with the numbers of all runs and of finished runs."""

    def ran(self, run: RunRecord, *, again: bool) -> None:
        """Reports an attempt; with `again` it failed and another one follows."""

    def done(self, done: int) -> None:
        """Called with the number of runs that are done, by this runner and others."""

    def waits(self, why: str) -> None:
        """Called if the runner can only wait."""

    def tell(self, what: str) -> None:
        """Called with a fact that the user must know."""
