"""Mean or variation of latency: the experiment of [U] without a cluster (docs/variation.md)."""

from latitude.variation.design import PUBLISHED, Design, Lognormal, Treatment, design, lognormal_of
from latitude.variation.result import Runs, Study, Variation
from latitude.variation.suite import variation_suite

__all__ = [
    "PUBLISHED",
    "Design",
    "Lognormal",
    "Runs",
    "Study",
    "Treatment",
    "Variation",
    "design",
    "lognormal_of",
    "variation_suite",
]
