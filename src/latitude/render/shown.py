"""The display of a section: each `show.py` of a section declares one as SHOWN."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from latitude.render.document import Part
from latitude.results.analysis import Analysis

Text = Callable[[], str]
"""A function that makes text on demand."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A section's part of page and terminal, and its files; empty if the section is left out."""

    parts: Callable[[Analysis], Sequence[Part]]
    files: Mapping[str, Callable[[Analysis], Text | None]] = field(default_factory=dict)
    """File name → text; None if the result has no such file."""
    sentence: Callable[[Analysis], str] = lambda _: ""
    """The section's sentence among the first lines; may be empty."""
    early: bool = False
    """Whether the part follows directly after the tolerances, because it names the line to change.
    """
