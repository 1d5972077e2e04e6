"""What a sample must be before anything is computed from it."""

import numpy as np
from numpy.typing import ArrayLike

from latitude._core import InputError
from latitude._types import Floats


def numbers(values: ArrayLike, least: int, what: str) -> Floats:
    """`values` as one column of finite numbers; InputError when they are too few or not finite."""
    column = np.asarray(values, dtype=np.float64).ravel()
    wrong = int(np.count_nonzero(~np.isfinite(column)))
    if wrong:
        raise InputError(
            f"{what}: {wrong:,} of {column.size:,} values are not finite (NaN or infinite); "
            "leave those rows out"
        )
    if column.size < least:
        raise InputError(f"{what}: only {column.size} values; at least {least} are needed")
    return column


def latencies(values_ns: ArrayLike, least: int, what: str = "samples") -> Floats:
    """Latencies in ns, ascending; InputError when there are too few or one is negative."""
    column = numbers(values_ns, least, what)
    if (column < 0).any():
        raise InputError(
            f"{what}: {np.count_nonzero(column < 0):,} latencies are negative; a clock that runs "
            "backwards measures nothing"
        )
    return np.sort(column)


def pairs(x: ArrayLike, y: ArrayLike, least: int) -> tuple[Floats, Floats]:
    """Two columns of equal length; InputError when they are not, or when one is constant."""
    first, second = numbers(x, 0, "x"), numbers(y, 0, "y")
    if first.size != second.size:
        raise InputError(f"x has {first.size:,} values and y {second.size:,}; they must pair up")
    if first.size < least:
        raise InputError(f"only {first.size} pairs of values; at least {least} are needed")
    for name, column in (("x", first), ("y", second)):
        if column.min() == column.max():
            raise InputError(
                f"{name} is constant ({column[0]:g}): nothing can be correlated with it"
            )
    return first, second
