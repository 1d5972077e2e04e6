"""Warnings as values: collected in results, shown once, each with its remedy."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Annotated

from msgspec import Meta

from latitude.units.quantities import counted


@dataclass(frozen=True, slots=True)
class Notice:
    """A fact that the user should know about a valid result."""

    code: Annotated[str, Meta(pattern="^[a-z0-9]+(-[a-z0-9]+)*$")]
    """Short, stable code in kebab-case."""
    message: str
    hint: str
    """The remedy, or the meaning for the result."""

    def to_json(self) -> dict[str, str]:
        """The warning as in the `warnings` of `latitude.analysis/1`."""
        return asdict(self)


def gathered(notices: Iterable[tuple[str, Notice]]) -> list[Notice]:
    """The groups' warnings; those of one kind become one warning, which names the first group."""
    found: dict[str, list[tuple[str, Notice]]] = {}
    for group, notice in notices:
        found.setdefault(notice.code, []).append((group, notice))
    together = []
    for code, same in found.items():
        group, first = same[0]
        more = len(same) - 1
        several = f" (so in {counted(more, 'more group')})" if more else ""
        prefix = f"{group}: " if group else ""
        together.append(Notice(code, f"{prefix}{first.message}{several}", first.hint))
    return together
