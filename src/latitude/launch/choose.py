"""Finds the MPI with which a command runs, against which Latitude builds its libraries."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.launch import launcher as launchers
from latitude.launch import mpi
from latitude.launch.application import Application, application, words
from latitude.launch.launcher import Launcher
from latitude.launch.mpi import Mpi

_LEVELS = 4
"""Largest number of directories from an MPI's prefix to its library:
lib/x86_64-linux-gnu/openmpi/lib.
"""


@dataclass(frozen=True, slots=True)
class Choice:
    """The MPI of a command."""

    mpi: Mpi
    application: Application | None
    """The program that was found in the command, if it is compiled."""


def choose(command: Sequence[str], launcher: Launcher | None, mpicc: Path | None) -> Choice:
    """The MPI of the program in `command`, else of its launcher, else the first MPI found.

    `mpicc` is the user's own choice. InputError: there is no MPI, or none that fits.
    """
    program = application(command)
    wanted = program.abi if program is not None else ""
    if mpicc is not None:
        given = mpi.from_wrapper(mpicc)
        _check(given, program)
        return Choice(given, program)
    if not wanted:
        wanted = _of_launcher(command, launcher)
    others = []
    for known in mpi.find(_beside(program, launcher)):
        if not wanted or known.abi in {wanted, ""}:
            return Choice(known, program)
        others.append(known)
    if wanted == mpi.STANDARD:
        return Choice(mpi.standard(), program)
    if not others:
        raise InputError(f"no mpicc found that knows mpi.h; {mpi.INSTALL}")
    found = ", ".join(f"{other} ({other.mpicc})" for other in others)
    who = program.path if program is not None and program.abi else "the launcher"
    raise InputError(
        f"{who} belongs to {mpi.NAMES[wanted]}, but the only mpicc found belongs to {found}; "
        f"{mpi.INSTALL}"
    )


def _of_launcher(command: Sequence[str], launcher: Launcher | None) -> str:
    if launcher is not None:
        return launcher.abi
    return launchers.abi_of_this_process() or launchers.abi_mentioned(words(command))


def _check(given: Mpi, program: Application | None) -> None:
    if program is None or not program.abi or given.abi in {program.abi, ""}:
        return
    raise InputError(
        f"--mpicc: {given.mpicc} is {given}, but {program.path} is linked to "
        f"{mpi.NAMES[program.abi]} ({program.libmpi}); give the mpicc of that MPI"
    )


def _beside(program: Application | None, launcher: Launcher | None) -> list[Path]:
    """Possible places of the MPI's own wrapper: bin in its prefix, and its launcher's directory."""
    places = []
    if program is not None and program.libmpi is not None:
        places += [parent / "bin" for parent in program.libmpi.parents[1 : 1 + _LEVELS]]
    if launcher is not None and launcher.abi:
        places += [launcher.path.parent, launcher.path.resolve().parent]
    return [place for place in dict.fromkeys(places) if place.is_dir()]
