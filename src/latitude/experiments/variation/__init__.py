"""Mean or variation of latency: the experiment of [U] without a cluster (docs/variation.md)."""

from latitude.experiments.variation.design import (
    PUBLISHED,
    Design,
    Lognormal,
    Treatment,
    design,
    lognormal_of,
)
from latitude.experiments.variation.suite import variation_suite

__all__ = [
    "PUBLISHED",
    "Design",
    "Lognormal",
    "Treatment",
    "design",
    "lognormal_of",
    "variation_suite",
]
