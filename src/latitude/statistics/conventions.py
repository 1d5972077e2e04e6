"""Conventions of all statistics, and the form of their assumptions."""

from dataclasses import dataclass
from typing import Annotated

from latitude.units.columns import STRONG, column

LEAST = 4
"""Fewest values, runs or levels for a test or an interval; Fisher's z needs more than 3."""
CONFIDENCE = 0.95
"""Confidence of intervals of measured values."""
PREDICTED_CONFIDENCE = 0.9
"""Confidence of intervals of predictions, and of compared measurements."""
BOOTSTRAP_SEED = 20
"""Seed of resamples that must be equal each time."""


@dataclass(frozen=True, slots=True)
class Assumption:
    """The assumptions of one method in two sentences, shown with every result."""

    method: Annotated[str, column("method", STRONG)]
    assumes: Annotated[str, column("assumes")]
    distrust: Annotated[str, column("do not trust it when")]
    """Conditions under which the method is not reliable."""
