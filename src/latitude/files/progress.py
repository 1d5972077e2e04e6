"""How long work tells somebody how far it is. The package itself shows nothing."""

from typing import Protocol


class Progress(Protocol):
    """Called with each stage and, if known, with the bytes done in the stage."""

    def stage(self, text: str, total: int | None = None) -> None:
        """A new stage begins; `total` bytes lie ahead when that is known."""

    def advance(self, amount: int) -> None:
        """That many more bytes of the stage are done."""


class Silent:
    """Tells nobody."""

    def stage(self, text: str, total: int | None = None) -> None:
        """Nothing."""

    def advance(self, amount: int) -> None:
        """Nothing."""
