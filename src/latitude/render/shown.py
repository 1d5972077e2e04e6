"""How a section is shown: each `show.py` of a section declares one as SHOWN."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from latitude.render.document import Part
from latitude.results.analysis import Analysis

Text = Callable[[], str]
"""Text that is made only on demand."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A section's part of the page and the terminal, and its files; nothing if it is left out."""

    parts: Callable[[Analysis], Sequence[Part]]
    files: Mapping[str, Callable[[Analysis], Text | None]] = field(default_factory=dict)
    """By name; None where the result has no such file."""
    sentence: Callable[[Analysis], str] = lambda _: ""
    """The section's part of the first lines; may be empty."""
    early: bool = False
    """Whether the part stands right below the tolerances: it tells which line to change."""
