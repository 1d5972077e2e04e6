"""Every declared result: schemas, docs and tests take this list."""

from latitude.results.background import (
    BackgroundAdvice,
    BackgroundAround,
    BackgroundCorrelation,
    BackgroundNow,
    JobLocality,
)
from latitude.results.declared import Result
from latitude.results.stats import (
    PublishedCorrelations,
    RunCorrelations,
    SampleComparison,
    SampleTails,
)

RESULTS: tuple[type[Result], ...] = (
    BackgroundAdvice,
    BackgroundAround,
    BackgroundCorrelation,
    BackgroundNow,
    JobLocality,
    PublishedCorrelations,
    RunCorrelations,
    SampleComparison,
    SampleTails,
)
