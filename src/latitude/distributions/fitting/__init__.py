"""Fitting SciPy's continuous distributions to latency samples, and ranking them."""

from latitude.distributions.fitting.fit import fit_samples
from latitude.distributions.fitting.result import Failure, Fit, FitResult

__all__ = ["Failure", "Fit", "FitResult", "fit_samples"]
