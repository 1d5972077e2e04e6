"""Counts the modules that a command imports, because times vary on a busy machine."""

import json
import subprocess
import sys
from collections.abc import Sequence

import pytest

from support.paths import EXAMPLES

_COUNT = """
import contextlib, json, os, sys
from latitude.cli.main import main

with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
    with contextlib.suppress(SystemExit):
        main(json.loads(sys.argv[1]))
print(json.dumps(sorted(sys.modules)))
"""
HEAVY = {"scipy", "pandas", "pyarrow", "highspy", "jinja2", "plotly", "elftools", "dask", "shtab"}


def imported(*arguments: str) -> list[str]:
    """The modules that one command imports."""
    command = [sys.executable, "-c", _COUNT, json.dumps(arguments)]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    names: list[str] = json.loads(done.stdout)
    return names


def packages(names: Sequence[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def test_the_help_imports_no_array() -> None:
    names = imported("--help")
    assert not packages(names) & (HEAVY | {"numpy", "msgspec", "rich"})
    assert sum(name.startswith("latitude") for name in names) <= 25
    assert len(names) <= 150


@pytest.mark.parametrize("command", ["analyze", "map", "run", "check", "diff", "doctor", "trace"])
def test_the_help_of_a_command_imports_nothing_heavy(command: str) -> None:
    assert not packages(imported(command, "--help")) & HEAVY


def test_an_analysis_imports_what_it_needs() -> None:
    names = imported("analyze", str(EXAMPLES / "two-ranks.goal"))
    assert not packages(names) & HEAVY
    assert "latitude.trace.jobs.kineto" not in names
    assert len(names) <= 560
