"""p-values for people."""

import math

SIMULATED = 5e-4, 0.99
"""The least and the largest p-value that simulated null distributions can tell."""
_FEW_DIGITS = 1e-3


def format_p(p: float, *, simulated: bool = False) -> str:
    """0.03, 4.2e-11; `≤` and `≥` at the ends of what was simulated."""
    least, largest = SIMULATED
    if simulated and p <= least:
        return f"≤ {least:g}"
    if simulated and p == largest:
        return f"≥ {largest:g}"
    if p == 0:
        return "< 1e-307"
    return f"{p:.1e}" if p < _FEW_DIGITS else f"{p:.3f}"


def format_log10_p(log10_p: float) -> str:
    """A p-value by its logarithm: 7.89e-33, however small."""
    exponent = math.floor(log10_p)
    if exponent >= math.log10(_FEW_DIGITS):
        return f"{10**log10_p:.3f}"
    return f"{10 ** (log10_p - exponent):.2f}e{exponent}"
