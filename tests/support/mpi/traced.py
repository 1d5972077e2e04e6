"""The bare tracer: preloaded by hand, read by an independent decoder."""

import json
import os
import shutil
import signal
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from unittest import mock

from latitude.launch import build
from latitude.launch.mpi import identify
from support.hanging import HANG_S
from support.mpi import lat_format
from support.mpi.library import Library
from support.paths import RUNTIME

TRACER = RUNTIME / "tracer"
PROGRAMS = TRACER / "tests"
COMPARED = ("-DLAT_COMPARE_TYPES", "-Wno-discarded-qualifiers")
"""Has the compiler compare the tracer's parameters with those of mpi.h, which may lack a const."""


@dataclass
class Traced:
    """The files of a run."""

    done: "subprocess.CompletedProcess[str]"
    ranks: list[lat_format.Rank]
    counted: list[dict[str, int]]


@dataclass(frozen=True)
class Mpi:
    """One MPI with its tracer."""

    library: Library

    @property
    def name(self) -> str:
        return self.library.name

    @cached_property
    def tracer(self) -> Path:
        """The tracer, as `latitude trace` builds it for this MPI."""
        with mock.patch.dict(os.environ, self.library.environment):
            known = identify(Path(shutil.which(self.library.mpicc) or self.library.mpicc))
            assert known is not None
            return build.library("tracer", known)

    def program(self, source: str) -> Path:
        """The compiled program; each line's code stays where the line is."""
        return self.library.program(PROGRAMS / source, "-O0", "-w", "-pthread")

    def launch(
        self, n: int, source: str, *arguments: str, **environment: str
    ) -> "subprocess.Popen[str]":
        """Starts a program with these variables set in its ranks."""
        assignments = [f"{name}={value}" for name, value in environment.items()]
        return subprocess.Popen(
            self.library.run(n, "/usr/bin/env", *assignments, self.program(source), *arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.library.environment,
            start_new_session=True,
        )

    def run(
        self, n: int, source: str, *arguments: str, **environment: str
    ) -> "subprocess.CompletedProcess[str]":
        process = self.launch(n, source, *arguments, **environment)
        try:
            output, errors = process.communicate(timeout=HANG_S)
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
            LD_PRELOAD=f"{self.library.counter} {self.tracer}",
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
