"""C sources, compiled for tests."""

import os
import shlex
import subprocess

from support.paths import RUNTIME

INJECT = RUNTIME / "inject"
TESTS = INJECT / "tests"
CC = os.environ.get("CC", "cc")
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]


def compiled(*words: object, compiler: str = CC) -> None:
    command = [compiler, "-std=gnu11", *map(str, words)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stderr}"
