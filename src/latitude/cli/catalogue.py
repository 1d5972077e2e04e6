"""Every declared result: schemas, docs and tests take this list."""

from latitude.lab.results.background import (
    BackgroundAdvice,
    BackgroundAround,
    BackgroundCorrelation,
    BackgroundNow,
    JobLocality,
)
from latitude.lab.results.campaign import CampaignAnalysis, CampaignSummary
from latitude.lab.results.fit import FitResult
from latitude.lab.results.stats import (
    PublishedCorrelations,
    RunCorrelations,
    SampleComparison,
    SampleTails,
)
from latitude.results.analysis import Analysis
from latitude.results.check import Checked
from latitude.results.comparison import Comparison
from latitude.results.declared import Result
from latitude.results.difference import Difference
from latitude.results.doctor import Examination
from latitude.results.forecast import RuntimeForecast
from latitude.results.injection import Injection
from latitude.results.lp import SecondOpinion
from latitude.results.map import ProgramMap
from latitude.results.measurement import (
    LoadMeasurement,
    LogGPSMeasurement,
    NodeCheck,
    SampleMeasurement,
)
from latitude.results.place import PlaceResult
from latitude.results.scaling import Scaling
from latitude.results.trace import TracedRun
from latitude.results.validation import Validation

RESULTS: tuple[type[Result], ...] = (
    Analysis,
    BackgroundAdvice,
    BackgroundAround,
    BackgroundCorrelation,
    BackgroundNow,
    Checked,
    Comparison,
    Difference,
    Examination,
    FitResult,
    Injection,
    JobLocality,
    LoadMeasurement,
    LogGPSMeasurement,
    NodeCheck,
    SampleMeasurement,
    ProgramMap,
    PublishedCorrelations,
    RunCorrelations,
    RuntimeForecast,
    SampleComparison,
    SampleTails,
    Scaling,
    TracedRun,
    PlaceResult,
    SecondOpinion,
    CampaignAnalysis,
    CampaignSummary,
    Validation,
)
