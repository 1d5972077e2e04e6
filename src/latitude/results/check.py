"""The result of `latitude check`: demands on a program, and verdicts."""

from typing import Annotated, ClassVar

from latitude.files.provenance import Provenance
from latitude.notices.notice import Notice
from latitude.results.declared import Count, Part, Result
from latitude.units.columns import column


class Verdict(Part, frozen=True, kw_only=True):
    """The verdict on one demand."""

    name: Annotated[str, column("check")]
    """The checked quantity: `tolerance`, `runtime`, `computation`, or the name of an efficiency,
    e.g. `transfer`."""
    demand: str
    """The demand, in words with units."""
    found: str
    holds: bool
    where: str | None
    """The function or call that the demand concerns; null for the whole program."""


class Checked(Result, frozen=True, kw_only=True):
    """Result of `latitude check`."""

    SCHEMA: ClassVar[str] = "latitude.check/1"

    provenance: Provenance
    against: str | None
    """The earlier run or result."""
    failed: Count
    """Number of demands that do not hold."""
    verdicts: list[Verdict]
    """Verdicts in the order of the demands."""
    warnings: list[Notice]

    @property
    def holds(self) -> bool:
        """Whether all demands hold."""
        return not self.failed
