"""Conventions of all statistics, and the form of their assumptions."""

from dataclasses import dataclass
from typing import Annotated

from latitude.units.columns import STRONG, column

LEAST = 4
"""Values, runs or levels that a test or an interval takes; Fisher's z needs more than 3."""
CONFIDENCE = 0.95
"""Confidence of intervals of measured values."""
PREDICTED_CONFIDENCE = 0.9
"""Confidence of intervals of predictions, and of compared measurements."""
BOOTSTRAP_SEED = 20
"""Seed of resamples that must be the same each time."""


@dataclass(frozen=True, slots=True)
class Assumption:
    """One method in two sentences; shown with every result."""

    method: Annotated[str, column("method", STRONG)]
    assumes: Annotated[str, column("assumes")]
    distrust: Annotated[str, column("do not trust it when")]
    """When not to trust it."""
