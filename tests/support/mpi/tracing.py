"""`latitude trace` in the form that a person types."""

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from latitude.trace.recorded_run import RankFile, read_run
from support.command import LATITUDE, started
from support.mpi.library import Library
from support.schemas import document

Done = subprocess.CompletedProcess[str]


@dataclass
class Tracing:
    """Traces into `run` of a directory of the test's own."""

    mpi: Library
    directory: Path
    options: list[str] = field(default_factory=list)

    @property
    def run(self) -> Path:
        """Folder of the trace."""
        return self.directory / "run"

    def words(self, *command: object) -> list[str]:
        """`latitude trace` of a command."""
        return [*LATITUDE, "trace", "-o", "run", *self.options, "--", *map(str, command)]

    def start(
        self, words: Sequence[str], environment: Mapping[str, str] | None = None, **options: Any
    ) -> Done:
        """Runs a command, and keeps its output."""
        variables = {**self.mpi.environment, **(environment or {})}
        return started(words, variables, self.directory, **options)

    def left(self, ranks: int, *command: object, **options: Any) -> Done:
        """`latitude trace -- mpirun -n RANKS COMMAND`."""
        return self.start(self.words(*self.mpi.run(ranks, *command)), **options)

    def right(self, ranks: int, *command: object, **options: Any) -> Done:
        """`mpirun -n RANKS latitude trace -- COMMAND`."""
        return self.start(self.mpi.run(ranks, *self.words(*command)), **options)

    def side(self, side: str, ranks: int, *command: object, **options: Any) -> Done:
        """Either of these."""
        return getattr(self, side)(ranks, *command, **options)

    def files(self) -> list[RankFile]:
        """Files of the recorded trace."""
        return read_run(self.run)

    def described(self) -> dict[str, Any]:
        """trace.json."""
        text = (self.run / "trace.json").read_text(encoding="utf-8")
        return document(text)


def said(done: Done) -> list[str]:
    """The lines that are latitude's."""
    return [line for line in done.stderr.splitlines() if line.startswith(("latitude:", "Next:"))]
