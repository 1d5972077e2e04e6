"""Layers over MPI: code that Latitude skips when it looks for the source place of an MPI call."""

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import cache
from pathlib import PurePath

from latitude import _core
from latitude._core import InputError
from latitude.trace.symbols import Frame

USUAL = (
    "mpistubs.c",
    "libHYPRE*.so*",
    "libpetsc*.so*",
    "libslepc*.so*",
    "libteuchoscomm*.so*",
    "libboost_mpi*.so*",
    "global_mpi.f90",
    "plib.f90",
    "MPI.*.so",
    "MPI.*.c",
    "*/mpi4py/*.py",
    "_ctypes.*.so",
    "libffi.so*",
)
"""Known wrappers: the wrappers of hypre, PETSc, SLEPc, Trilinos, Boost, UK-MAC's programs, SNAP and
mpi4py, and Python's ways to call C functions.
"""
NONE = "none"
"""Value of `--through` that switches off even the known wrappers."""
_INTERPRETERS = ("python3", "python3.[0-9]", "python3.[0-9][0-9]", "libpython3*.so*")
_START = ("libc.so*", "libc-2.*.so", "libpthread*.so*", "ld-linux*.so*", "ld-musl*.so*")
_START_FUNCTIONS = {"_start", "__libc_start_main", "__libc_start_call_main"}


class Wrappers:
    """The code that wraps MPI."""

    def __init__(self, given: Iterable[str] = ()) -> None:
        """`given` has names or paths of source files and libraries, with `*` for any letters.

        InputError: a name is empty.
        """
        own = list(given)
        if not all(own):
            raise InputError("through: an empty name; give a source file or library, or none")
        self._patterns = [name for name in own if name != NONE]
        self._named_like_calls = NONE not in own
        if self._named_like_calls:
            self._patterns += USUAL

    def hold(self, module: str, frame: Frame) -> bool:
        """Whether the frame, in that executable or library, belongs to a wrapper."""
        if any(_is(path, self._patterns) for path in (module, frame.file) if path):
            return True
        return self._named_like_calls and _named_like_a_call(frame.function)


def of_interpreter(module: str) -> bool:
    """Whether the code is an interpreter's, which tells nothing about the program it runs."""
    return _is(module, _INTERPRETERS)


def before_main(module: str, frame: Frame) -> bool:
    """Whether the code starts programs and threads."""
    return _is(module, _START) or frame.function in _START_FUNCTIONS


def _is(path: str, patterns: Iterable[str]) -> bool:
    name = PurePath(path).name
    return any(
        fnmatchcase(path, pattern) or fnmatchcase(path, f"*/{pattern}")
        if "/" in pattern
        else fnmatchcase(name, pattern)
        for pattern in patterns
    )


def _named_like_a_call(function: str | None) -> bool:
    """Whether a name ends with that of an MPI call: `hypre_MPI_Irecv`, `my_mpi_allreduce_`."""
    return function is not None and _calls().search(function) is not None


@cache
def _calls() -> re.Pattern[str]:
    names = "|".join(re.escape(name.removeprefix("MPI_")) for name in _core.call_names())
    return re.compile(rf"(?:^|_|:)P?MPI_(?:{names})_{{0,2}}$", re.IGNORECASE)
