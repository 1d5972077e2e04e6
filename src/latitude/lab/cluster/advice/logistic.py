"""Logistic regression with a weak prior."""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from latitude._types import Floats

Matrix = NDArray[np.float64]

PRIOR_SD = 2.5
"""Standard deviation of the normal prior on the slope of a standardised column. An odds ratio over
150 between plus and minus one standard deviation is implausible. The prior keeps slopes finite if a
column separates the runs (Gelman et al., Annals of Applied Statistics 2, 2008, use the same scale).
"""


@dataclass(frozen=True, slots=True)
class Logistic:
    """P(y = 1 | x) = expit(intercept + slopes · (x − mean)/scale)."""

    mean: Floats
    scale: Floats
    weights: Floats
    """Intercept, then one slope per standardised column."""
    covariance: Matrix
    """Covariance of the weights: the inverse curvature of the log posterior."""

    def _design(self, x: Matrix) -> Matrix:
        return np.column_stack([np.ones(len(x)), (x - self.mean) / self.scale])

    def probability(self, x: Matrix) -> Floats:
        """P(y = 1) for each row."""
        found: Floats = scipy.special.expit(self._design(x) @ self.weights)
        return found

    def interval(self, x: Matrix, z: float = 1.959964) -> tuple[Floats, Floats]:
        """95 % interval of P, symmetric in log odds, for the uncertainty of the weights alone."""
        design = self._design(x)
        centre = design @ self.weights
        half = z * np.sqrt(np.einsum("ij,jk,ik->i", design, self.covariance, design))
        return scipy.special.expit(centre - half), scipy.special.expit(centre + half)

    def odds_ratio(self, column: int, step: float) -> float:
        """Factor on the odds if a column grows by `step`."""
        return float(np.exp(self.weights[1 + column] * step / self.scale[column]))


def fit(x: Matrix, y: Floats) -> Logistic:
    """The most probable weights, by Newton's method; a constant column has weight 0."""
    mean, scale = x.mean(axis=0), x.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    design = np.column_stack([np.ones(len(x)), (x - mean) / scale])
    precision = np.full(design.shape[1], PRIOR_SD**-2)
    precision[0] = 0.0

    def loss(w: Floats) -> float:
        z = design @ w
        return float(np.sum(np.logaddexp(0.0, z) - y * z) + 0.5 * np.dot(precision, w * w))

    def gradient(w: Floats) -> Floats:
        found: Floats = design.T @ (scipy.special.expit(design @ w) - y) + precision * w
        return found

    def curvature(w: Floats) -> Matrix:
        p = scipy.special.expit(design @ w)
        found: Matrix = (design.T * (p * (1 - p))) @ design + np.diag(precision)
        return found

    start = np.zeros(design.shape[1])
    start[0] = scipy.special.logit(np.clip(y.mean(), 1e-3, 1 - 1e-3))
    best = scipy.optimize.minimize(loss, start, jac=gradient, hess=curvature, method="trust-exact")
    covariance = np.linalg.inv(curvature(best.x)).astype(np.float64)
    return Logistic(mean, scale, best.x, covariance)
