"""The work of a worker process: fits one distribution, or bootstraps one."""

import time
import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from latitude.distributions.names import CIRCULAR, in_words, scipy_distribution, shape_names
from latitude.lab.distributions.criteria import EXACT, criteria, ks_distance, mass
from latitude.lab.distributions.search import SEARCHING, FoundParameters, refine, search
from latitude.lab.results.fit import FitFailure, FittedDistribution

Floats = NDArray[np.float64]

_LEAVE = 0.9
"""Share of the budget after which a bootstrap starts no further resample."""


@dataclass(frozen=True, slots=True)
class Count:
    """Outcome of some resamples."""

    further: int
    """Number of resamples whose KS distance to their refit is at least the samples' distance to the
    fit.
    """
    resamples: int


def fit_one(name: str, samples: Floats, budget_s: float) -> FittedDistribution | FitFailure:
    """Fits one distribution to rising samples."""
    began = time.process_time()
    if name in CIRCULAR:
        return _failure(name, "not-finite", "a density on a circle, not finite on the line")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found = search(name, samples, budget_s)
            if found is None:
                return _nothing_found(name, budget_s, time.process_time() - began)
            total = _mass(name, found, samples)
            if not total <= 1 + EXACT:
                reason = f"SciPy's density is wrong there: it adds up to {total:.4g}"
                return _failure(name, "not-finite", reason)
            fit = assess(name, found, samples)
        except Exception as error:  # noqa: BLE001 - a distribution's own failure, to be listed
            text = " ".join(str(error).split()) or "no message"
            return _failure(name, "exception", f"{type(error).__name__}: {text}")
    if not np.isfinite([fit.aic, fit.bic, fit.ks, fit.sse_per_us2]).all():
        return _failure(name, "not-finite", "its density or distribution function is not finite")
    return replace(fit, seconds=time.process_time() - began)


def _failure(
    name: str, kind: Literal["timeout", "exception", "not-finite"], reason: str
) -> FitFailure:
    return FitFailure(name=name, kind=kind, reason=reason)


def _mass(name: str, found: FoundParameters, samples: Floats) -> float:
    distribution = scipy_distribution(name)
    return mass(distribution(*found.shapes, loc=found.loc, scale=found.scale), samples)


def _nothing_found(name: str, budget_s: float, spent_s: float) -> FitFailure:
    if spent_s < SEARCHING * budget_s:
        return _failure(name, "not-finite", "found no parameters that make all samples possible")
    reason = f"no possible parameters found in {budget_s:g} s of CPU time; raise --budget"
    return _failure(name, "timeout", reason)


def assess(name: str, found: FoundParameters, samples: Floats) -> FittedDistribution:
    """The fit with these parameters."""
    distribution = scipy_distribution(name)
    frozen = distribution(*found.shapes, loc=found.loc, scale=found.scale)
    count = len(found.shapes) + 2
    value = criteria(frozen, count, samples)
    shapes = dict(zip(shape_names(distribution), found.shapes, strict=True))
    parameters = {**shapes, "loc": found.loc, "scale": found.scale}
    return FittedDistribution(
        name=name,
        distribution=in_words(name, parameters),
        parameters=parameters,
        log_likelihood=value.log_likelihood,
        aic=value.aic,
        bic=value.bic,
        ks=value.ks,
        sse_per_us2=value.sse,
        finished=found.finished,
        seconds=0.0,
    )


def bootstrap(
    fit: FittedDistribution, size: int, resamples: int, seed: int, budget_s: float
) -> Count:
    """Draws samples of the fit, refits each, and compares KS distances."""
    began = time.process_time()
    random = np.random.default_rng(seed)
    distribution = scipy_distribution(fit.name)
    *shapes, loc, scale = fit.parameters.values()
    source = distribution(*shapes, loc=loc, scale=scale)
    further = done = 0
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        while done < resamples and time.process_time() - began < _LEAVE * budget_s:
            drawn = np.sort(source.rvs(size, random_state=random))
            left = budget_s - (time.process_time() - began)
            found = refine(fit.name, drawn, (*shapes, loc, scale), left)
            if found is None or not found.finished:
                break
            refitted = distribution(*found.shapes, loc=found.loc, scale=found.scale)
            further += ks_distance(refitted, drawn) >= fit.ks
            done += 1
    return Count(further, done)
