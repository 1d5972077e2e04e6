"""Who watches runs that are made."""

from typing import Protocol

from latitude.results.runs import RunRecord


class Show(Protocol):
    """Told how runs go."""

    def begin(self, total: int, done: int) -> None:
        """So many runs, of which so many are done."""

    def ran(self, run: RunRecord, *, again: bool) -> None:
        """An attempt has been made; `again`: it failed, and there will be another."""

    def done(self, done: int) -> None:
        """So many runs are done, by this runner and others."""

    def waits(self, why: str) -> None:
        """There is nothing to do but to wait."""

    def tell(self, what: str) -> None:
        """Something that must be known."""
