"""Quantiles and densities within a limit of CPU time.

SciPy integrates or searches for each value of a distribution without a formula (`levy_stable`),
so a table of such a distribution would take minutes or hours.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from latitude._core import InputError

_MOST_S = 8.0
_FIRST, _GROWTH, _QUICK_S = 16, 4, 0.1
"""Values in the first piece, factor for later pieces, and time below which pieces grow, s."""
_COMPUTED = ("cdf", "isf", "logpdf", "mean", "ppf", "std")


class Bounded:
    """A SciPy distribution that stops after some seconds of computation."""

    def __init__(self, distribution: Any, source: str) -> None:
        """`source` names the distribution in the InputError that ends the computation."""
        self._distribution = distribution
        self._source = source
        self._end_s = time.thread_time() + _MOST_S

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._distribution, name)
        return partial(self._in_pieces, found) if name in _COMPUTED else found

    def _in_pieces(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The function on an array of any shape, computed piece by piece."""
        if not arguments or np.ndim(arguments[0]) == 0:
            self._check()
            return function(*arguments)
        values = np.asarray(arguments[0], dtype=np.float64)
        flat, found, size = values.ravel(), [], _FIRST
        while flat.size:
            self._check()
            begun_s = time.thread_time()
            found.append(function(flat[:size], *arguments[1:]))
            flat = flat[size:]
            if time.thread_time() - begun_s < _QUICK_S:
                size *= _GROWTH
        return np.concatenate(found).reshape(values.shape) if found else values

    def _check(self) -> None:
        if time.thread_time() > self._end_s:
            raise InputError(
                f"{self._source}: to compute its quantiles takes more than {_MOST_S:g} s of CPU "
                "time; choose another distribution, or give samples or a table of it"
            )
