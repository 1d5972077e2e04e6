"""One thing looked at."""

from dataclasses import asdict, dataclass, field
from typing import Any

OK = "ok"
NOTE = "note"
MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found, or what its absence costs."""

    area: str
    name: str
    state: str
    """OK, NOTE (works, but look at it) or MISSING."""
    found: str
    costs: str = ""
    """What does not work without it."""
    remedy: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    """The same for programs."""

    def to_json(self) -> dict[str, Any]:
        """As in `findings` of `latitude.doctor/1`."""
        return asdict(self)
