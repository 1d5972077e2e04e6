"""The side of the launcher on which a command of ours stands, and its consequences.

Left of the launcher (`latitude trace -- mpirun ./app`) one process of ours runs next to the
launcher. Right of the launcher (`mpirun latitude trace -- ./app`) each rank is a process of ours.
Rank 0 stays next to its program and reports, and the others become their programs.
"""

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from latitude._core import InputError
from latitude.launch import child
from latitude.launch import launcher as launchers
from latitude.launch.child import Ended
from latitude.launch.launcher import Job, Launcher
from latitude.launch.mpi import OPENMPI

_FAILED = 2
"""Exit status of a rank that leaves it to another one of its host to say why."""
_WHILE_SAID_S = 20.0
"""How long such a rank stays under Open MPI's launcher, which kills all ranks once one has failed:
the one that says why may not have said it yet. After that rank's report, this one is killed."""
_PATIENCE_S = 5.0
"""How long rank 0 waits for the others' files to end, once its own program has."""
_BRIEFLY_S = 0.2
"""The same, once the program has failed: the launcher is about to kill us."""
_LOOK_S = 0.05

_Files = TypeVar("_Files")


@dataclass(frozen=True, slots=True)
class Side:
    """Where we stand."""

    launcher: Launcher | None
    """The launcher in our command; None right of a launcher, or without one."""
    rank: int | None
    """Ours; None left of the launcher."""

    @contextmanager
    def errors_said_once(self) -> Iterator[None]:
        """Lets one rank per host report an error, because an error fails every rank equally."""
        try:
            yield
        except InputError:
            if self.rank and not launchers.first_on_its_host():
                if launchers.abi_of_this_process() == OPENMPI:
                    time.sleep(_WHILE_SAID_S)
                raise SystemExit(_FAILED) from None
            raise

    def run(
        self,
        job: Job,
        *,
        stdout: Path | None = None,
        stderr: Path | None = None,
        limit_s: float | None = None,
    ) -> Ended:
        """Runs the command as `child.run` does; a rank other than 0 does not return."""
        if self.rank:
            child.become(job.command, job.environment)
        # A launcher told to end can end its ranks; a rank is killed as the launcher would have.
        death = signal.SIGTERM if self.rank is None else signal.SIGKILL
        return child.run(
            job.command,
            job.environment,
            death=death,
            stdout=stdout,
            stderr=stderr,
            limit_s=limit_s,
        )

    def when_complete(
        self, read: Callable[[], _Files], complete: Callable[[_Files], bool], ended: Ended
    ) -> _Files:
        """The ranks' files, after ranks that outlive rank 0's program have finished their own."""
        end = time.monotonic() + (_PATIENCE_S if ended.status == 0 else _BRIEFLY_S)
        while True:
            files = read()
            if self.rank is None or complete(files) or time.monotonic() > end:
                return files
            time.sleep(_LOOK_S)


def side_of(command: Sequence[str]) -> Side:
    """Left when there is a launcher in the command, right when this process is a rank."""
    launcher = launchers.find(command)
    return Side(launcher, launchers.rank_of_this_process() if launcher is None else None)
