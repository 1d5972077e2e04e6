"""`latitude inject` as a person types it, between ranks of this host that talk by TCP."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from support.command import LATITUDE, started
from support.kolmogorov import Floats
from support.mpi.library import Library
from support.mpi.outcome import Done, succeeded
from support.schemas import document

OVER_TCP = {"UCX_TLS": "tcp,self"}
# Two ranks on two cores: who waits must look, not yield, or it sees late what comes.
POLLING = {**OVER_TCP, "OMPI_MCA_mpi_yield_when_idle": "0"}
"""Settings for tests of times, which have the machine for themselves."""
OF_A_BUSY_MACHINE = " longer on average than the "
"""A warning with these words says that messages were late; a busy machine makes them so."""


@dataclass
class Injecting:
    """Injects into programs started in a directory of the test's own."""

    mpi: Library
    directory: Path
    options: list[str] = field(default_factory=list)
    transports: Mapping[str, str] = field(default_factory=lambda: OVER_TCP)

    def start(
        self,
        words: Sequence[object],
        environment: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Done:
        """Runs a command, and keeps its output."""
        variables = {**self.mpi.environment, **self.transports, **(environment or {})}
        return started(list(map(str, words)), variables, self.directory, **options)

    def words(self, *options: object) -> list[str]:
        """`latitude inject` with options."""
        return [*LATITUDE, "inject", *map(str, options), "--"]

    @property
    def through_ucx(self) -> dict[str, str]:
        """Variables for ranks of one node over UCX, or with the MPI's own settings, without us."""
        wanted = {
            "MPIR_CVAR_NOLOCAL": "1",
            "OMPI_MCA_pml": "ucx",
            "OMPI_MCA_pml_ucx_tls": "any",
            "OMPI_MCA_pml_ucx_devices": "any",
        }
        return {name: wanted[name] for name in wanted if name not in self.mpi.settings}

    def side(self, side: str, ranks: int, *command: object, latency: str = "20us") -> Done:
        """A program with delayed messages, `latitude inject` left or right of its launcher."""
        words = self.words("--flow", latency, "--intra-node", "-o", "run", *self.options)
        if side == "left":
            return self.start([*words, *self.mpi.run(ranks, *command)])
        return self.start(self.mpi.run(ranks, *words, *command))

    def flow(
        self,
        latency: str,
        ranks: int,
        *command: object,
        options: Sequence[str] = (),
        **settings: Any,
    ) -> Done:
        """A program with delayed messages; it must succeed."""
        words = self.words("--flow", latency, "--intra-node", "--force", "-o", "run", *options)
        return succeeded(self.start([*words, *self.mpi.run(ranks, *command)], **settings))

    def off(self, ranks: int, *command: object) -> Done:
        """A program that is timed without a latency; it must succeed."""
        words = self.words("--off", "--force", "-o", "run")
        return succeeded(self.start([*words, *self.mpi.run(ranks, *command)]))

    def plain(self, ranks: int, *command: object, **environment: str) -> Done:
        """Runs the program through the same transports without the injector."""
        words = self.mpi.run(ranks, *command)
        return succeeded(self.start(words, {**self.through_ucx, **self.mpi.ending, **environment}))

    def result(self) -> dict[str, Any]:
        """inject.json."""
        text = (self.directory / "run" / "inject.json").read_text(encoding="utf-8")
        return document(text)

    def table(self) -> Floats:
        """The delays that the last run drew from, ns, sorted."""
        lines = (self.directory / "run" / "table.dist").read_text(encoding="utf-8").splitlines()
        words = [word for line in lines if line[0] != "#" for word in line.split()]
        return np.sort(np.array(words, dtype=np.float64))
