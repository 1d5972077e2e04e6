"""The findings of `latitude doctor`."""

from typing import Any, ClassVar, Literal

import msgspec

from latitude.files.provenance import Made
from latitude.results.declared import Part, Result

State = Literal["ok", "note", "missing"]
OK: State = "ok"
NOTE: State = "note"
"""Works, but deserves attention."""
MISSING: State = "missing"


class Finding(Part, frozen=True, kw_only=True):
    """One examined thing: its state, or the cost of its absence."""

    area: str
    name: str
    state: State
    found: str
    costs: str = ""
    """Cost of the thing's absence."""
    remedy: str = ""
    """The remedy, if there is one."""
    facts: dict[str, Any] = msgspec.field(default_factory=dict)
    """The facts of `found` as data, for programs."""


class Examination(Result, frozen=True, kw_only=True):
    """Result of `latitude doctor`: the examined parts of this machine."""

    SCHEMA: ClassVar[str] = "latitude.doctor/1"

    provenance: Made
    findings: tuple[Finding, ...]
