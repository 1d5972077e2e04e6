"""Fits SciPy's continuous distributions to latency samples, and ranks their fits."""

from latitude.lab.distributions.fit import fit_samples

__all__ = ["fit_samples"]
