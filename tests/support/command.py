"""`latitude` in a process of its own."""

import atexit
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from support.forked import Begun, Forked
from support.hanging import HANG_S
from support.paths import TESTS

Run = Callable[..., "subprocess.CompletedProcess[str]"]
"""The type of the fixture that runs the command."""

Running = Begun | subprocess.Popen[str]
"""A command that has not been waited for."""
LATITUDE = (sys.executable, "-m", "latitude")
"""The words that start the command."""
FORKS = True
"""Whether commands are forked, so that they are not children of the process that starts them."""
_READ = ("PYTHON", "LD_", "LC_", "LANG", "OMP_", "OPENBLAS_", "ARROW_", "MALLOC_")
"""Beginnings of variables that a process reads during imports."""
_AT_START = dict(os.environ)
"""Environment before any test, because a stopping cluster ends all that inherited its own."""


def started(
    words: Sequence[str],
    environment: Mapping[str, str],
    cwd: str | os.PathLike[str] | None = None,
    **options: Any,
) -> "subprocess.CompletedProcess[str]":
    """Runs words, and keeps their output.

    Where they begin with LATITUDE it is forked from a process that has imported what commands need,
    unless `options`, of `subprocess.run`, ask for more than a fork can do.
    """
    own = tuple(words[: len(LATITUDE)]) == LATITUDE
    if FORKS and own and not options and _imported_alike(environment, _AT_START):
        ended = _server().run(
            words[len(LATITUDE) :], cwd=cwd or Path.cwd(), environment=environment
        )
        return subprocess.CompletedProcess(words, ended.status, ended.out, ended.err)
    return subprocess.run(
        words,
        cwd=cwd,
        env=environment,
        check=False,
        encoding="utf-8",
        **{"capture_output": True, "timeout": HANG_S, **options},
    )


def begun(
    words: Sequence[str],
    environment: Mapping[str, str],
    cwd: str | os.PathLike[str] | None = None,
    *,
    start_new_session: bool = False,
) -> Running:
    """Words of LATITUDE that run during the test, with kept output."""
    if FORKS and _imported_alike(environment, _AT_START):
        return _server().begin(
            words[len(LATITUDE) :],
            cwd=cwd or Path.cwd(),
            environment=environment,
            start_new_session=start_new_session,
        )
    return subprocess.Popen(
        words,
        cwd=cwd,
        env=environment,
        start_new_session=start_new_session,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def for_shells() -> str:
    """The command for `latitude` in a script; libraries are imported in the tests' environment."""
    client = [sys.executable, "-I", "-S", Path(__file__).with_name("forking.py")]
    return shlex.join(map(str, [*client, _server().address] if FORKS else LATITUDE))


def python(*words: str | Path) -> str:
    """The output of a Python that finds the tests' support; it must succeed without an error."""
    done = started([sys.executable, *map(str, words)], os.environ, TESTS)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@cache
def _server() -> Forked:
    """One for all tests of this process."""
    server = Forked(_AT_START)
    atexit.register(server.close)
    return server


def _imported_alike(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether a process with either environment is the same once it has imported."""
    return all(
        one.get(name) == other.get(name)
        for name in one.keys() | other.keys()
        if name.startswith(_READ)
    )
