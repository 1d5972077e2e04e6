"""Runtime against latency as theory has it: rising and convex, and no more is assumed."""

import numpy as np
import scipy

from latitude._types import Floats


def convex_fit(x: Floats, y: Floats, weights: Floats) -> Floats:
    """At each x, the rising convex function that is nearest to y: least weighted squares.

    Of such functions the fit is one that is straight between neighbouring x, y₀ + Σ c_j (x − x_j)⁺
    with c_j ≥ 0, so that non-negative least squares finds it (Hildreth, J. Am. Stat. Assoc. 49,
    1954; with monotonicity Kuosmanen, Econometrics Journal 11, 2008, of which this is the case of
    one variable). T(L) of an execution graph is such a function: the longest of its paths.

    Args:
        x: rising, different from each other; ns.
        y: of each x; positive.
        weights: of each square; positive.
    """
    scale = float(x[-1] - x[0]) or 1.0
    hinges = np.maximum(0.0, (x[:, None] - x[None, :-1]) / scale)
    basis = np.column_stack([np.ones_like(x), hinges])
    root = np.sqrt(weights / weights.max())
    level = float(y.max()) or 1.0
    found, _ = scipy.optimize.nnls(basis * root[:, None], y / level * root)
    fitted: Floats = basis @ found * level
    return fitted


def first_above(x: Floats, y: Floats, limit: float) -> float:
    """Where the line through rising points (x, y) passes `limit`; inf where it does not."""
    above = np.flatnonzero(y > limit)
    if not above.size:
        return float("inf")
    after = int(above[0])
    if after == 0:
        return float(x[0])
    before = after - 1
    share = (limit - y[before]) / (y[after] - y[before])
    return float(x[before] + share * (x[after] - x[before]))
