"""What a method assumes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Assumption:
    """One method in two sentences; shown with every result."""

    method: str
    assumes: str
    distrust: str
    """When not to trust it."""
