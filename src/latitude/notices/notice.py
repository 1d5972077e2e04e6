"""Warnings as values: collected in results, shown once, each with what to do."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from latitude import _core


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know about a result that stands."""

    code: str
    """Stable and short, kebab-case."""
    message: str
    hint: str
    """What to do about it."""

    def to_json(self) -> dict[str, str]:
        """As in the `warnings` of `latitude.analysis/1`."""
        return asdict(self)


def from_core(warnings: Iterable[_core.Warning]) -> list[Notice]:
    """The core's warnings, in its order, each once."""
    return list(dict.fromkeys(Notice(w.code, w.message, w.hint) for w in warnings))
