"""The interface through which long work reports its progress. The package itself shows nothing."""

from typing import Protocol


class Progress(Protocol):
    """Called with each stage and, if known, with the bytes done in the stage."""

    def stage(self, text: str, total: int | None = None) -> None:
        """A new stage begins, with `total` bytes if known."""

    def advance(self, amount: int) -> None:
        """This many more bytes of the stage are done."""


class Silent:
    """Reports nothing."""

    def stage(self, text: str, total: int | None = None) -> None:
        """Does nothing."""

    def advance(self, amount: int) -> None:
        """Does nothing."""
