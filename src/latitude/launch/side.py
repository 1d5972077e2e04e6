"""The side of the launcher on which Latitude's command is, and its consequences.

Left of the launcher (`latitude trace -- mpirun ./app`) one process of ours runs next to the
launcher. Right of the launcher (`mpirun latitude trace -- ./app`) each rank is a process of ours.
Rank 0 stays next to its program and reports, and the other ranks become their programs.
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
"""Exit status of a rank that leaves the report of an error to another rank of its host."""
_WHILE_SAID_S = 20.0
"""Time that a rank stays before it ends with _FAILED under Open MPI's launcher, s. The launcher
kills all ranks once one has failed, perhaps before the reporting rank has printed its message;
after that message, it kills this rank.
"""
_PATIENCE_S = 5.0
"""Time that rank 0 waits for the other ranks' files after its own program has ended, s."""
_BRIEFLY_S = 0.2
"""Time of this wait if the program has failed, s: the launcher is about to kill us."""
_LOOK_S = 0.05

_Files = TypeVar("_Files")


@dataclass(frozen=True, slots=True)
class Side:
    """The side of the launcher on which we are."""

    launcher: Launcher | None
    """The launcher in our command; None right of a launcher, or without one."""
    rank: int | None
    """Our rank; None left of the launcher."""

    @contextmanager
    def errors_said_once(self) -> Iterator[None]:
        """Lets one rank per host report an error, because all ranks have the same error."""
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
        # A launcher can end its ranks on request. A rank's program is killed, as by its launcher.
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
        """The ranks' files, once all ranks have finished their files, or after a time limit.

        Left of the launcher, the files are complete once the command has ended.
        """
        end = time.monotonic() + (_PATIENCE_S if ended.status == 0 else _BRIEFLY_S)
        while True:
            files = read()
            if self.rank is None or complete(files) or time.monotonic() > end:
                return files
            time.sleep(_LOOK_S)


def side_of(command: Sequence[str]) -> Side:
    """Left if the command contains a launcher, right if this process is a rank."""
    launcher = launchers.find(command)
    return Side(launcher, launchers.rank_of_this_process() if launcher is None else None)
