"""Checks arguments of public functions; a wrong type is an InputError that shows the value."""

import math
import os
from collections.abc import Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from latitude._core import InputError


def path_of(value: Any, name: str = "path") -> Path:
    """A path. InputError: the value is neither text nor a path."""
    if isinstance(value, str | os.PathLike) and isinstance(found := os.fspath(value), str):
        return Path(found)
    raise InputError(f"{name} = {value!r} is not a path; give a text, e.g. 'run'")


def texts_of(value: Any, name: str, example: str) -> Sequence[str]:
    """Texts in order. InputError: the value is a single text, or contains other things."""
    listed = isinstance(value, Sequence) and not isinstance(value, str | bytes)
    if listed and all(isinstance(each, str) for each in value):
        return tuple(value)
    raise InputError(f"{name} = {value!r} is not a list of texts; write e.g. {name}={example}")


def real(value: object) -> float:
    """A number as float: ±inf if it is an integer beyond all floats, nan if it is not a number."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]


def finite(value: object, name: str) -> float:
    """A finite number of 0 or more. InputError: the value is something else."""
    number = real(value)
    if not 0 <= number < math.inf:
        shown = number if math.isinf(number) else value  # repr() rejects integers with many digits
        raise InputError(f"{name} = {shown!r} is not a finite number of 0 or more")
    return number


def whole(value: object, name: str) -> int:
    """An integer of 0 or more. InputError: the value is something else."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputError(f"{name} = {value!r} is not a whole number of 0 or more")
    if not 0 <= int(value) <= _MOST_WHOLE:
        raise InputError(
            f"{name} = {real(value):g} is not a whole number from 0 to {_MOST_WHOLE:,}"
        )
    return int(value)


_MOST_WHOLE = 2**63 - 1
"""Largest integer of the core."""


def flag(value: object, name: str) -> bool:
    """A boolean. InputError: the value is something else."""
    if isinstance(value, bool):
        return value
    raise InputError(f"{name} = {value!r} is neither True nor False")


def instance(value: object, kind: type, name: str, example: str) -> None:
    """Raises InputError if a value is not of a kind; `example` shows how to make such a value."""
    if not isinstance(value, kind):
        raise InputError(f"{name} = {value!r} is not a {kind.__name__}; write e.g. {example}")
