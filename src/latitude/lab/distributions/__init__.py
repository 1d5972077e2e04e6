"""Fitting SciPy's continuous distributions to latency samples, and ranking them."""

from latitude.lab.distributions.fit import fit_samples

__all__ = ["fit_samples"]
