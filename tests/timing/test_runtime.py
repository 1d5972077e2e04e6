"""Run times under `latitude inject` are the program's, and nothing besides."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from support.mpi.injecting import POLLING, Injecting
from support.mpi.library import openmpi
from support.mpi.stacks import UCX, stack
from support.timing import SHARP, Machine

MS = 1_000_000
NOISE = 60 * MS
"""A rank that waited for the other one, or what is before MPI_Init, would add 100 ms and more."""


@pytest.mark.parametrize("words", [("nap.c",), ("nap.c", "thread"), ("nap_fortran.f90",)])
@pytest.mark.parametrize("name", UCX)
def test_each_ranks_time_ends_before_it_waits_for_the_others(
    machine: Machine, builds: Path, tmp_path: Path, name: str, words: tuple[str, ...]
) -> None:
    injecting = Injecting(stack(name, builds), tmp_path, transports=POLLING)
    source, *options = words
    program = injecting.mpi.program(source)
    claims = {f"rank {rank}": (0, NOISE) for rank in (0, 1)}

    def block() -> Mapping[str, float]:
        injecting.off(2, program, *options)
        return {
            f"rank {each['rank']}": each["runtime_ns"] - 100 * MS * (each["rank"] + 1)
            for each in injecting.result()["processes"]
        }

    machine.holds(block, claims, stray=SHARP)


def test_a_python_program_without_a_launcher(
    machine: Machine, builds: Path, tmp_path: Path
) -> None:
    """Found: the interpreter's own start or end, 30 ms and more beside 200 ms."""
    injecting = Injecting(openmpi(builds), tmp_path, transports=POLLING)
    code = "import time; time.sleep(0.2); from mpi4py import MPI; time.sleep(0.2); import sys"

    def block() -> Mapping[str, float]:
        words = injecting.words("--off", "-o", "run", "--force")
        assert injecting.start([*words, "/usr/bin/python3", "-c", code]).returncode == 0
        return {"beyond 200 ms": injecting.result()["runtime_ns"] - 200 * MS}

    machine.holds(block, {"beyond 200 ms": (0, 100 * MS)})
