"""What all statistics agree on, and how each says what it assumes."""

from dataclasses import dataclass
from typing import Annotated

from latitude.units.columns import STRONG, column

LEAST = 4
"""Values, runs or levels that a test or an interval takes; Fisher's z needs more than 3."""
CONFIDENCE = 0.95
"""Of intervals of what was measured."""
PREDICTED_CONFIDENCE = 0.9
"""Of intervals of predictions, and of what is compared with them."""
BOOTSTRAP_SEED = 20
"""Of resamples that must be the same each time."""


@dataclass(frozen=True, slots=True)
class Assumption:
    """One method in two sentences; shown with every result."""

    method: Annotated[str, column("method", STRONG)]
    assumes: Annotated[str, column("assumes")]
    distrust: Annotated[str, column("do not trust it when")]
    """When not to trust it."""
