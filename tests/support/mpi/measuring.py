"""`latitude measure` in the form that a person types."""

import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.command import LATITUDE, begun, started
from support.hanging import HANG_S
from support.mpi.library import Library
from support.mpi.outcome import Done, succeeded
from support.schemas import document


@dataclass
class Measuring:
    """Measures into `out` of a directory of the test's own."""

    mpi: Library
    directory: Path
    slurm: dict[str, str] = field(default_factory=dict)
    """Variables of a Slurm whose srun launches; empty for the MPI's own launcher."""
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def out(self) -> Path:
        """Folder of the results."""
        return self.directory / "out"

    def words(
        self,
        measurement: str,
        ranks: int,
        *options: object,
        launch: Sequence[str] = (),
        before: Sequence[str] = (),
    ) -> list[str]:
        """`latitude measure`, with words before the launcher, or between it and the program."""
        srun = [*self.mpi.srun(ranks), *launch]
        line = srun if self.slurm else self.mpi.run(ranks, *launch)
        # srun serves every MPI, so it does not tell which
        which = ("--mpicc", self.mpi.mpicc) if self.slurm else ()
        options = ("-o", self.out, *which, *options)
        words = [*LATITUDE, "measure", measurement, *map(str, options)]
        return [*words, "--", *before, *line]

    def run(self, measurement: str, ranks: int, *options: object, **more: Any) -> Done:
        """Runs a measurement, which must succeed."""
        return succeeded(self._started(measurement, ranks, *options, **more))

    def failed(self, measurement: str, ranks: int, *options: object) -> Done:
        """Runs a measurement that must be rejected, or fail with its reason."""
        done = self._started(measurement, ranks, *options)
        assert done.returncode == 2, done.stderr + done.stdout
        assert done.stdout == ""
        return done

    def _started(self, *words: Any, **more: Any) -> Done:
        variables = {**self.mpi.environment, **self.slurm, **self.environment}
        return started(self.words(*words, **more), variables)

    def interrupted(self, how: signal.Signals, seen: bytes, *words: object) -> Done:
        """Sends a signal when its program has written `seen`; every process must end."""
        variables = {**self.mpi.environment, **self.slurm, **self.environment}
        process = begun(self.words(*words), variables)  # type: ignore[arg-type]
        end = time.monotonic() + HANG_S
        while not self._written(seen) and process.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(how)
        out, err = process.communicate(timeout=HANG_S)
        assert process.returncode is not None
        return Done(process.args, process.returncode, out, err)

    def _written(self, seen: bytes) -> bool:
        return any(seen in path.read_bytes() for path in self.out.glob(".measuring-*/*.part"))

    def preloaded_in(self, rank: int, source: str, *options: str) -> list[str]:
        """Words that preload a library into one rank."""
        return self.mpi.preloaded_in(rank, self.directory, source, *options)

    def json(self, pattern: str) -> Any:
        """The one file of that name."""
        (path,) = self.out.glob(pattern)
        return document(path.read_text(encoding="utf-8"))


def left_behind(program: str, directory: Path) -> list[str]:
    """Running processes of a program of runtime/bench that were started in this directory."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and entry.name != str(os.getpid()):
            try:
                name = (entry / "exe").readlink().name
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if name == f"latitude-{program}" and bytes(directory) in words:
                found.append(entry.name)
    return found
