"""What a method assumes."""

from dataclasses import dataclass
from typing import Annotated

from latitude.units.columns import STRONG, column


@dataclass(frozen=True, slots=True)
class Assumption:
    """One method in two sentences; shown with every result."""

    method: Annotated[str, column("method", STRONG)]
    assumes: Annotated[str, column("assumes")]
    distrust: Annotated[str, column("do not trust it when")]
    """When not to trust it."""
