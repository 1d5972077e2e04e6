"""C sources, compiled for tests."""

import os
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

from support.paths import RUNTIME

INJECT = RUNTIME / "inject"
TESTS = INJECT / "tests"
CC = os.environ.get("CC", "cc")
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]


def compiled(*words: object, compiler: str = CC) -> None:
    command = [compiler, "-std=gnu11", *map(str, words)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stderr}"


PARTS = ("../clock/clock", "table", "delay", "report", "settings", "flow/arrival", "flow/heap")


def unit_tests(directory: Path, *options: str) -> Sequence[str | Path]:
    """The injector's unit tests, compiled: the words that run them."""
    table = directory / "table.dist"
    rows = (" ".join(str(8 * row + column) for column in range(8)) for row in range(512))
    table.write_text("\n".join(rows) + "\n")
    sources = [INJECT / f"{part}.c" for part in PARTS]
    words = ("-O2", "-pthread", *options, TESTS / "unit.c", *sources)
    compiled(*words, "-o", directory / "unit", "-lm", "-ldl")
    return [directory / "unit", table]
