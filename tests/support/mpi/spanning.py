"""Commands on several hosts of this machine, made by tests/support/hosts."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.command import LATITUDE
from support.hanging import HANG_S
from support.mpi.library import Library
from support.mpi.outcome import Done, succeeded
from support.paths import SUPPORT

HOSTS = SUPPORT / "hosts"
# Over links, who waits must look, not yield: a host has a core for each of its ranks.
UCX_BETWEEN = {
    "OMPI_MCA_pml": "ucx",
    "OMPI_MCA_pml_ucx_tls": "any",
    "OMPI_MCA_pml_ucx_devices": "any",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}
"""Settings for UCX over TCP, which Open MPI does not choose by itself."""
LOOKING = {"OMPI_MCA_mpi_yield_when_idle": "0"}


@dataclass
class Spanning:
    """Two hosts, unless more are wanted; all see the same files."""

    mpi: Library
    directory: Path
    count: int = 2
    rate: str = "500mbit"
    slots: int = 1
    """Ranks on a host before the next."""
    share_cores: bool = False
    delay: str = ""
    """Delay of each packet between hosts, by `latitude inject --ip`."""

    def words(self, *command: object) -> list[str]:
        """The words that run a command on the first host, whose launchers span all hosts."""
        options = [str(self.count), "--slots", str(self.slots), "--rate", self.rate]
        options += ["--share-cores"] if self.share_cores else []
        options += ["--delay", self.delay] if self.delay else []
        return [sys.executable, str(HOSTS), *options, "--", *map(str, command)]

    def start(self, *command: object, environment: Mapping[str, str] | None = None) -> Done:
        """Runs a command, and keeps its output."""
        return subprocess.run(
            self.words(*command),
            cwd=self.directory,
            env={**self.mpi.environment, **self.mpi.ending, **LOOKING, **(environment or {})},
            capture_output=True,
            check=False,
            encoding="utf-8",
            timeout=HANG_S,
        )

    def run(self, *command: object, **more: Any) -> Done:
        """Runs the program, which must succeed."""
        return succeeded(self.start(*command, **more))

    def latitude(self, *words: object, **more: Any) -> Done:
        """`latitude` on the first host must succeed."""
        return self.run(*LATITUDE, *words, **more)

    def json(self, pattern: str) -> Any:
        """The one file of that name."""
        (path,) = self.directory.glob(pattern)
        return json.loads(path.read_text(encoding="utf-8"))
