"""What is known of a return address."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

_PYTHON = "python"


@dataclass(frozen=True, slots=True)
class Module:
    """A file whose code the program ran: the executable or a shared library."""

    path: str
    build_id: str
    """Hexadecimal, as the trace recorded it; empty when the file had none. Of a function of Python
    `python:` and its name: then the path is that of its source, and offsets are its lines."""

    @property
    def python_function(self) -> str | None:
        """The function's name; None of a file with code for the processor."""
        kind, colon, name = self.build_id.partition(":")
        return name if colon and kind == _PYTHON else None


@dataclass(frozen=True, slots=True)
class Frame:
    """A place in the source. What is not known is None."""

    function: str | None
    file: str | None
    """Full path, as the compiler wrote it."""
    line: Annotated[int, Meta(ge=1)] | None


@dataclass(frozen=True, slots=True)
class Location:
    """A call site."""

    module: str
    """Path of the executable or library."""
    offset: int
    """Return address in the file's own numbering (its ELF virtual addresses)."""
    frames: tuple[Frame, ...] = ()
    """Innermost first; each was inlined into the next. Empty when only the module is known."""
    into_function: int | None = None
    """Bytes from the function's first instruction, where a symbol is all that is known."""
