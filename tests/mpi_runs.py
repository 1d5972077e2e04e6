"""Builds the tracer and small MPI programs, and runs one under the other, for both MPIs."""

import json
import os
import signal
import subprocess
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import lat_format
import mpi_counter

TRACER = Path(__file__).resolve().parents[1] / "runtime" / "tracer"
PROGRAMS = TRACER / "tests"

_LAUNCHERS = {
    "openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"],
    "mpich": ["mpirun.mpich"],
}
# Ranks share two cores: who waits must let others run.
_ENVIRONMENT = {"OMPI_MCA_mpi_yield_when_idle": "1"}


@dataclass
class Traced:
    """What a run left."""

    done: "subprocess.CompletedProcess[str]"
    ranks: list[lat_format.Rank]
    counted: list[dict[str, int]]


@dataclass
class Mpi:
    """One MPI with the tracer built for it."""

    name: str
    work: Path
    _programs: dict[str, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.work.mkdir(exist_ok=True)
        self.mpicc = f"mpicc.{self.name}"
        self.tracer = self.work / "liblatitude-trace.so"
        flags = (TRACER / "FLAGS").read_text().split()
        warnings = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]
        sources = sorted(map(str, TRACER.glob("*.c")))
        subprocess.run([self.mpicc, *flags, *warnings, *sources, "-o", self.tracer], check=True)

    @cached_property
    def counter(self) -> Path:
        return mpi_counter.build(self.mpicc, self.work)

    def program(self, source: str) -> Path:
        """The compiled program; with debug information and named like its source."""
        if source not in self._programs:
            compiler = self.mpicc if source.endswith(".c") else f"mpifort.{self.name}"
            target = self.work / Path(source).stem
            command = [compiler, "-g", "-O0", "-w", "-pthread", PROGRAMS / source, "-o", target]
            subprocess.run(command, check=True)
            self._programs[source] = target
        return self._programs[source]

    def command(self, n: int, program: Path, *arguments: str) -> list[str]:
        return [*_LAUNCHERS[self.name], "-n", str(n), str(program), *arguments]

    def launch(
        self, n: int, source: str, *arguments: str, **environment: str
    ) -> "subprocess.Popen[str]":
        """Starts a program with these variables set in its ranks."""
        program = self.program(source)
        assignments = [f"{name}={value}" for name, value in environment.items()]
        command = self.command(n, Path("/usr/bin/env"), *assignments, str(program), *arguments)
        return subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **_ENVIRONMENT},
            start_new_session=True,
        )

    def run(
        self, n: int, source: str, *arguments: str, **environment: str
    ) -> "subprocess.CompletedProcess[str]":
        process = self.launch(n, source, *arguments, **environment)
        try:
            output, errors = process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)

    def trace(
        self, directory: Path, n: int, source: str, *arguments: str, **environment: str
    ) -> Traced:
        """Runs a program under the tracer and, before it, the counter."""
        counts = directory / "counts"
        counts.mkdir(parents=True)
        trace = directory / "trace"
        done = self.run(
            n,
            source,
            *arguments,
            LD_PRELOAD=f"{self.counter} {self.tracer}",
            COUNTER_DIR=str(counts),
            LATITUDE_TRACE_DIR=str(trace),
            **environment,
        )
        ranks = lat_format.read_run(trace)
        counted = [
            json.loads((counts / f"{rank.meta['pid']}.json").read_text())
            for rank in ranks
            if (counts / f"{rank.meta['pid']}.json").exists()
        ]
        return Traced(done, ranks, counted)
