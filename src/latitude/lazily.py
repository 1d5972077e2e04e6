"""Packages whose modules are imported when a name of theirs is first used.

SciPy, pandas and HiGHS take a second to import; most commands need none of them.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package that offers `homes`' names, each from its module there."""

    def __getattr__(name: str) -> Any:  # noqa: N807
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        return getattr(import_module(f"{package}.{homes[name]}"), name)

    return __getattr__
