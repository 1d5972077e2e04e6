"""Finds problems of a command before it runs.

Without these checks, launchers would report the problems only after a failure, or start each
process as a run of its own.
"""

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TypeGuard

from latitude._core import InputError
from latitude.files.reading import parsing
from latitude.launch import launcher as launchers
from latitude.launch import mpi
from latitude.launch.application import Application
from latitude.launch.ask import ask
from latitude.launch.launcher import Launcher
from latitude.trace.recorded_run import RankFile

ROOT_FLAG = "--allow-run-as-root"
_ROOT_VARIABLES = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")
SLOTS_FLAG = "--oversubscribe"
_COUNTS = {"-n", "-np", "-c", "--n", "--np"}
_FEW_SLOTS = "enough slots"
_LIMIT_S = 10.0


def refuse(
    command: Sequence[str],
    launcher: Launcher | None,
    program: Application | None,
    environment: Mapping[str, str],
) -> None:
    """Raises InputError, with the remedy, if the launcher cannot start the program's ranks.

    Args:
        command: the command's words.
        launcher: the command's launcher; None without one.
        program: the command's compiled program; None without one.
        environment: the environment of its start.
    """
    _refuse_another_mpi(launcher, program)
    if launcher is None or launcher.abi != mpi.OPENMPI:
        return
    wrong, flags = [], []
    if refuses_root(command, environment):
        wrong.append(f"{launcher.path} does not start programs for root")
        flags.append(ROOT_FLAG)
    words = command[launcher.index + 1 :]
    ranks = _ranks(words)
    if ranks > len(os.sched_getaffinity(0)) and lacks_slots(launcher.path, words):
        wrong.append(f"{launcher.path} has fewer slots here than the {ranks:,} ranks")
        flags.append(SLOTS_FLAG)
    if flags:
        added = [command[launcher.index], *flags, *words]
        raise InputError(f"{'; '.join(wrong)}; add {' '.join(flags)}: {shlex.join(added)}")


def refuses_root(command: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Whether Open MPI's launcher rejects this user, root, because no setting allows root."""
    told = ROOT_FLAG in command or all(environment.get(each) for each in _ROOT_VARIABLES)
    return os.geteuid() == 0 and not told


def lacks_slots(launcher: Path, words: Sequence[str]) -> bool:
    """Whether Open MPI's launcher reports fewer slots than requested ranks.

    `words` are the words after the launcher, at least up to the program; the launcher starts `true`
    instead.
    """
    program = next((at for at, word in enumerate(words) if shutil.which(word)), len(words))
    if ":" in words:
        return False  # several programs, each with options of its own
    as_root = [f"{variable}=1" for variable in _ROOT_VARIABLES]
    said = ask(["env", *as_root, launcher, *words[:program], "true"], _LIMIT_S)
    return not said.ok and _FEW_SLOTS in said.text


def ran_apart(
    files: Sequence[RankFile], launcher: Launcher | None, program: Application | None
) -> str | None:
    """The reason why each process was rank 0 of 1, with the remedy; None if all were one run."""
    started = max((int(file.meta.get("launched", 0)) for file in files), default=0)
    if started <= 1 or any(file.ranks > 1 for file in files):
        return None
    library = str(files[0].meta.get("mpi", "")).partition(",")[0] or "an MPI"
    abi = mpi.OPENMPI if library.startswith(mpi.NAMES[mpi.OPENMPI]) else mpi.MPICH
    what = str(program.path) if program is not None else f"the program's MPI ({library})"
    who = str(launcher.path) if launcher is not None else "the launcher"
    return (
        f"{started:,} processes were started, and each was rank 0 of 1: {who} is not of the same "
        f"MPI as {what}; start it {_with_launcher_of(abi)}"
    )


def lacks_lines(program: Application | None) -> TypeGuard[Application]:
    """Whether a program lacks debug information, from which call sites get their lines."""
    if program is None or program.libmpi is None:
        return False
    # Slow to import, and a rank right of a launcher does not need it.
    from latitude.trace.symbols.files import debug_file, open_elf  # noqa: PLC0415

    try:
        with (
            open_elf(program.path) as elf,
            parsing(str(program.path), "damaged"),
            debug_file(elf, program.path) as debug,
        ):
            return not debug.has_dwarf_info(strict=True)
    except (OSError, InputError):
        return False


def _refuse_another_mpi(launcher: Launcher | None, program: Application | None) -> None:
    if program is None or program.abi not in {mpi.OPENMPI, mpi.MPICH}:
        return
    abi = launchers.abi_of_this_process() if launcher is None else launcher.abi
    if abi in {"", program.abi}:
        return
    who = "the launcher" if launcher is None else str(launcher.path)
    raise InputError(
        f"{who} is {mpi.NAMES[abi]}'s, and {program.path} is linked to {mpi.NAMES[program.abi]} "
        f"({program.libmpi}): each process would be rank 0 of 1; start it "
        f"{_with_launcher_of(program.abi)}"
    )


def _with_launcher_of(abi: str) -> str:
    fitting = launchers.of_mpi(abi)
    return f"with {fitting}" if fitting else f"with the mpirun of {mpi.NAMES[abi]}"


def _ranks(words: Sequence[str]) -> int:
    """The requested number of ranks; 0 if the words do not contain it."""
    return sum(
        int(value) for option, value in pairwise(words) if option in _COUNTS and value.isdecimal()
    )
