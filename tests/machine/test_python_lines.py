"""Calls of MPI from Python are placed at lines of Python."""

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.command import Run
from support.mpi.lat_format import Rank, read_run
from support.mpi.tracing import Tracing

INPUTS = Path(__file__).parents[1] / "support" / "mpi" / "inputs"
MPI4PY = INPUTS / "lines.py"
FOREIGN = INPUTS / "foreign.py"
OPEN_MPI = "libmpi.so.40"
LONG = ("--L", "1000s")
"""So long that no rank is ever late for a message because the machine was busy."""


def _interpreters() -> Iterator[str]:
    """Python interpreters in PATH: programs, without the scripts of pyenv."""
    for folder in os.get_exec_path():
        for minor in range(9, 20):
            path = shutil.which(f"python3.{minor}", path=folder)
            if path and _is_program(path):
                yield str(Path(path).resolve())


def _is_program(path: str) -> bool:
    with Path(path).open("rb") as file:
        return file.read(4) == b"\x7fELF"


INTERPRETERS = sorted({sys.executable, *_interpreters()})


def line(source: Path, name: str) -> int:
    (number,) = (
        i
        for i, text in enumerate(source.read_text(encoding="utf-8").splitlines(), start=1)
        if text.endswith(f"  # {name}")
    )
    return number


def python_paths(rank: Rank, call: str) -> set[tuple[tuple[str, str, int], ...]]:
    """Python functions above a call: file, name and line, the innermost first."""
    found = set()
    for event in rank.named(call):
        path = []
        site = event.site
        while site:
            address = rank.sites[site - 1]
            (module,) = (m for m in rank.modules if m[0] <= address < m[1])
            if module[4].startswith("python:"):
                path.append((module[3], module[4].removeprefix("python:"), address - module[2]))
            site = rank.callers[site - 1]
        found.add(tuple(path))
    return found


def test_mpi4py_s_calls_are_placed_at_lines_of_the_script(open_mpi: Tracing, latitude: Run) -> None:
    """Nobody has to ask for it."""
    done = open_mpi.left(2, "/usr/bin/python3", MPI4PY)
    assert done.returncode == 0, done.stderr
    result = open_mpi.directory / "result"
    done = latitude("analyze", open_mpi.run, *LONG, "-o", result)
    assert done.returncode == 0, done.stderr
    rows = json.loads((result / "analysis.json").read_text(encoding="utf-8"))["by_call_site"]
    placed = {(row["file"], row["line"], row["function"]): row for row in rows}
    wanted = {"exchange": "exchange", "norm": "Löser.norm", "end": "<module>"}
    at = {name: placed[str(MPI4PY), line(MPI4PY, name), wanted[name]] for name in wanted}
    assert at["exchange"]["calls"] == {"MPI_Sendrecv": 2 * 2 * 3}
    assert at["exchange"]["lambda_L"] == 2 * 3
    assert at["end"]["calls"] == {"MPI_Barrier": 2}
    assert sum(row["lambda_L"] for row in at.values()) == sum(row["lambda_L"] for row in rows)


def test_a_line_has_its_callers_as_far_as_asked(open_mpi: Tracing) -> None:
    open_mpi.options += ["--stacks", "8"]
    done = open_mpi.left(2, "/usr/bin/python3", MPI4PY)
    assert done.returncode == 0, done.stderr
    for rank in read_run(open_mpi.run):
        paths = python_paths(rank, "Sendrecv")
        file = str(MPI4PY)
        outer = ((file, "steps", line(MPI4PY, "step")), (file, "<module>", line(MPI4PY, "all")))
        assert paths == {
            (
                (file, "exchange", line(MPI4PY, "exchange")),
                (file, "Löser.step", line(MPI4PY, name)),
                *outer,
            )
            for name in ("first", "second")
        }


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_each_python_s_frames_are_read(open_mpi: Tracing, interpreter: str) -> None:
    """Below ctypes; of Pythons that are not known a line says that they are not read."""
    open_mpi.options += ["--stacks", "16"]
    done = open_mpi.left(1, interpreter, FOREIGN, OPEN_MPI)
    assert done.returncode == 0, done.stderr
    (rank,) = read_run(open_mpi.run)
    (path,) = python_paths(rank, "Barrier")
    assert [(file, number) for file, _, number in path] == [
        (str(FOREIGN), number)
        for number in (
            line(FOREIGN, "barrier"),
            line(FOREIGN, "generated"),
            line(FOREIGN, "the line before runs the generator") - 1,
            line(FOREIGN, "outermost"),
        )
    ]
    names = [name.rpartition(".")[2] for _, name, _ in path]
    assert names == ["barrier", "generated", "warte", "<module>"]


def test_without_stacks_nothing_is_read_and_the_analysis_says_what_to_do(
    open_mpi: Tracing, latitude: Run
) -> None:
    open_mpi.options += ["--stacks", "0"]
    done = open_mpi.left(1, "/usr/bin/python3", MPI4PY)
    assert done.returncode == 0, done.stderr
    (rank,) = read_run(open_mpi.run)
    assert not any(module[4].startswith("python:") for module in rank.modules)
    done = latitude("analyze", open_mpi.run, *LONG, "--json", "-")
    assert done.returncode == 0, done.stderr
    codes = {warning["code"] for warning in json.loads(done.stdout)["warnings"]}
    assert "calls-from-python" in codes
    assert "call-sites-without-lines" not in codes
