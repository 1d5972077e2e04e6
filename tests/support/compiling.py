"""The injector's C sources, compiled for tests."""

import os
import subprocess

from support.paths import RUNTIME

INJECT = RUNTIME / "inject"
TESTS = INJECT / "tests"
CC = os.environ.get("CC", "cc")
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]


def compiled(*words: object) -> None:
    done = subprocess.run(
        [CC, "-std=gnu11", *map(str, words)], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
