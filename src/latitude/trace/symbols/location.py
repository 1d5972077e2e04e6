"""The source location of a return address."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated

from msgspec import Meta

_PYTHON = "python"
_INTO = re.compile(r"\+0x([0-9a-f]{1,15})$")
Given = tuple[str, str, int]
"""A frame in a trace: function (`exchange+0x1f` if no line is known), file, line. Unknown parts are
"" and 0."""


@dataclass(frozen=True, slots=True)
class Module:
    """A file whose code the program ran: the executable or a shared library."""

    path: str
    build_id: str
    """Hexadecimal build id as recorded in the trace; empty if the file had none. For a Python
    function, it is `python:` and the function's name; `path` is then the source file, and offsets
    are lines.
    """

    @property
    def python_function(self) -> str | None:
        """Name of the Python function; None for a file with machine code."""
        kind, colon, name = self.build_id.partition(":")
        return name if colon and kind == _PYTHON else None


@dataclass(frozen=True, slots=True)
class Frame:
    """A place in the source. Unknown parts are None."""

    function: str | None
    file: str | None
    """Full path, as the compiler wrote it."""
    line: Annotated[int, Meta(ge=1)] | None


@dataclass(frozen=True, slots=True)
class Location:
    """The source location of a call site."""

    module: str
    """Path of the executable or library."""
    offset: int
    """Return address in the file's own numbering (its ELF virtual addresses)."""
    frames: tuple[Frame, ...] = ()
    """Frames, innermost first; each was inlined into the next. Empty if only the module is known.
    """
    into_function: int | None = None
    """Bytes from the function's first instruction, if only a symbol is known."""

    @property
    def has_line(self) -> bool:
        """Whether debug information gives the line."""
        return bool(self.frames) and self.frames[0].file is not None

    @classmethod
    def given(cls, module: str, offset: int, frames: Iterable[Given]) -> "Location":
        """A call site with frames from a trace; `module` is empty if the trace has no addresses."""
        own = [Frame(name or None, file or None, line or None) for name, file, line in frames]
        first = own[0] if own else Frame(None, None, None)
        into = _INTO.search(first.function or "") if module and first.line is None else None
        if into is None:
            return cls(module, offset, tuple(own))
        own[0] = replace(first, function=into.string[: into.start()])
        return cls(module, offset, tuple(own), int(into[1], 16))

    def as_given(self) -> list[Given]:
        """The frames in the form of a trace."""
        into = "" if self.into_function is None else f"+{self.into_function:#x}"
        return [
            (f"{frame.function}{into}" if frame.function else "", frame.file or "", frame.line or 0)
            for frame in self.frames
        ]
