"""Warnings as values: collected in results, shown once, each with what to do."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Annotated

from msgspec import Meta

from latitude.units.quantities import counted


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know about a result that stands."""

    code: Annotated[str, Meta(pattern="^[a-z0-9]+(-[a-z0-9]+)*$")]
    """Stable and short, kebab-case."""
    message: str
    hint: str
    """The remedy, or the meaning for the result."""

    def to_json(self) -> dict[str, str]:
        """As in the `warnings` of `latitude.analysis/1`."""
        return asdict(self)


def gathered(notices: Iterable[tuple[str, Notice]]) -> list[Notice]:
    """Notices of groups: those of one kind told once, with the first group they are of."""
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
