"""Tests each command with each MPI, and makes the table of docs/reference/mpi-libraries.md.

    LATITUDE_TABLE=write .venv/bin/python -m pytest tests/machine/test_libraries_table.py

writes the rows anew, to be read before they are committed.
"""

import json
import os
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import pytest

from latitude.launch.doctor import examine
from latitude.launch.mpi import Mpi, identify
from support.command import LATITUDE
from support.mpi.injecting import Injecting
from support.mpi.lat_format import read_run
from support.mpi.library import (
    LIBRARIES,
    Library,
    intel_ofi,
    mpich,
    mpich_5_ucx,
    mpich_ofi,
    openmpi,
    openmpi_5,
    openmpi_5_ofi,
    openmpi_ofi,
)
from support.mpi.outcome import Done
from support.paths import ROOT

PAGE = ROOT / "docs" / "reference" / "mpi-libraries.md"
WRITES = os.environ.get("LATITUDE_TABLE") == "write"
ROUND_TRIPS = 170
DELAY_NS = 100_000
YES = "yes"
STACKS: dict[str, Sequence[Callable[[Path], Library]]] = {
    "openmpi": (openmpi, openmpi_ofi),
    "mpich": (mpich,),
    "openmpi-5": (openmpi_5, openmpi_5_ofi),
    "mpich-5": (mpich_5_ucx, mpich_ofi),
    "intel": (intel_ofi,),
}
"""Transports of each library on one host."""


@dataclass
class Trial:
    """Commands with one library, as a person types them; each says what it could do."""

    library: Library
    directory: Path

    @property
    def program(self) -> list[object]:
        """Round trips of 8 bytes."""
        return [self.library.program("pingpong.c"), self.directory, 1, 8, DELAY_NS]

    def start(self, *words: object, library: Library | None = None) -> Done:
        used = library or self.library
        return Injecting(used, self.directory).start([*LATITUDE, *words])

    def said(self, done: Done, right: bool) -> str:
        """`right` is looked at only where the command succeeded."""
        if done.returncode == 0 and right:
            return YES
        return f"no: {(done.stderr or done.stdout).splitlines()[-1]}"

    def doctor(self, known: Mpi) -> str:
        """Whether the tracer is built and what it sends through is known; of this one, and here."""
        with (
            mock.patch.dict(os.environ, self.library.environment, clear=True),
            mock.patch("latitude.launch.mpi.find", return_value=[known]),
        ):
            found = [f for f in examine().findings if f.facts.get("mpicc") == str(known.mpicc)]
        return YES if [f.area for f in found if f.state != "missing"] == AREAS else f"no: {found}"

    def run(self) -> tuple[str, str]:
        """`run`, and of its trace whether every call is there."""
        network = ("--L", "1s", "--o", "1us", "--G", "1ns")
        words = ("-o", "result", *network, "--", *self.library.run(2, *self.program))
        done = self.start("run", *words)
        counts = [rank.counts for rank in read_run(self.directory / "result" / "trace")]
        traced = [count["MPI_Send"] == count["MPI_Recv"] == ROUND_TRIPS for count in counts]
        analysis = self.directory / "result" / "analysis.json"
        latencies = json.loads(analysis.read_text())["baseline"]["lambda_L"] if traced else 0
        right = latencies >= 2 * ROUND_TRIPS
        return self.said(done, traced == [True, True]), self.said(done, right)

    def inject(self, library: Library) -> str:
        """Which network the messages took, none of which was early."""
        injecting = Injecting(library, self.directory)
        program = (library.program("pingpong.c"), self.directory / "run", 1, 8, DELAY_NS)
        done = injecting.flow(f"{DELAY_NS}ns", 2, *program)
        least = float(done.stdout.split()[1])
        result = injecting.result()
        assert least >= DELAY_NS
        assert result["asked"]["p1_ns"] == pytest.approx(DELAY_NS, rel=0.01)
        assert result["achieved"]["p1_ns"] >= 0.99 * DELAY_NS  # told by classes of 1 %
        assert result["delayed"] >= 2 * ROUND_TRIPS
        names = {name for each in result["processes"] for name in each["delayed_transports"]}
        providers = {name.removeprefix("ofi:") for name in names if name.startswith("ofi:")}
        return f"libfabric ({', '.join(sorted(providers))})" if providers else "UCX"

    def measure(self) -> str:
        words = ("--size", "8B", "--iterations", "50", "--warmup", "5", "-o", "measured")
        done = self.start("measure", "pingpong", *words, "--", *self.library.run(2))
        found = [json.loads(p.read_text()) for p in (self.directory / "measured").glob("*.json")]
        return self.said(done, len(found) == 1 and found[0]["summary"][0]["median_ns"] > 0)

    def validate(self, library: Library) -> str:
        """A round trip takes two latencies, at least."""
        words = ("--only-delta", "--traces", "1", "--repetitions", "1", "--delta", "0,100us")
        network = ("--L", "20us", "--o", "2us", "--G", "1ns", "--intra-node", "-o", "validated")
        command = library.run(2, *self.program)
        done = self.start("validate", *words, *network, "--", *command, library=library)
        result = json.loads((self.directory / "validated" / "validation.json").read_text())
        measured = result["levels"][-1]["measured_ns"]
        right = len(measured) == 1 and measured[0] >= 2 * ROUND_TRIPS * DELAY_NS
        return self.said(done, right)


AREAS = ["MPI", "injection"]


def _row(trial: Trial, stacks: Sequence[Library]) -> str:
    mpicc = shutil.which(trial.library.mpicc)
    with mock.patch.dict(os.environ, trial.library.settings):
        known = identify(Path(mpicc or trial.library.mpicc))
    assert known is not None
    version = ".".join(known.version.split(".")[:2])
    traced, ran = trial.run()
    injected = ", ".join(trial.inject(stack) for stack in stacks)
    cells = (trial.doctor(known), traced, ran, injected, trial.measure(), trial.validate(stacks[0]))
    return f"| {known.name} {version} | {' | '.join(cells)} |"


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_table_in_the_documentation_is_what_was_seen(
    builds: Path, tmp_path: Path, name: str
) -> None:
    trial = Trial(LIBRARIES[name](builds), tmp_path)
    row = _row(trial, [make(builds) for make in STACKS[name]])
    text = PAGE.read_text(encoding="utf-8")
    start = row[: row.index("|", 1) + 1]
    if WRITES:
        text = re.sub(rf"^{re.escape(start)}.*$", lambda _: row, text, flags=re.MULTILINE)
        PAGE.write_text(text, encoding="utf-8")
    assert row in text.splitlines(), row
