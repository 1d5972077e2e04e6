"""The launcher in a command, and its way to pass environment variables to the ranks.

If a launcher can set variables for the ranks alone, on all nodes, Latitude uses its options, so
that nothing is preloaded into shells and launchers. Other commands (scripts, unknown launchers)
inherit the variables.
"""

import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from latitude._core import InputError
from latitude.launch import mpi
from latitude.launch.application import Application, is_sanitizer
from latitude.launch.ask import ask

_MPIRUN = {"mpirun", "mpiexec", "orterun", "prterun", "prun"}
NAMES = ("mpirun", "mpiexec", "mpiexec.hydra", "mpirun.openmpi", "mpirun.mpich", "prterun")
"""Names of launchers as installed."""
_SRUN = "srun"
_RUNS_ANOTHER = {
    "env",
    "time",
    "timeout",
    "nice",
    "ionice",
    "nohup",
    "setsid",
    "stdbuf",
    "taskset",
    "chrt",
    "numactl",
}
"""Programs that a launcher may follow."""
_HYDRA = re.compile(r"HYDRA|Intel\(R\) MPI|MVAPICH|MPICH", re.IGNORECASE)
_OPENMPI = re.compile(r"Open ?MPI|OpenRTE|PRRTE", re.IGNORECASE)
_ENV_LIST = "mca_base_env_list"
_PRELOAD = "LD_PRELOAD"


@dataclass(frozen=True, slots=True)
class Launcher:
    """A launcher, which is a word of the command."""

    path: Path
    index: int
    abi: str
    """Binary interface of the launcher's MPI, as in `mpi`; empty if it serves several MPIs."""


@dataclass(frozen=True, slots=True)
class Job:
    """A command to run."""

    command: list[str]
    environment: dict[str, str]


def find(command: Sequence[str]) -> Launcher | None:
    """The launcher at the start of a command, possibly after `env`, `time`, `nice` and similar."""
    for index, word in enumerate(command):
        base = Path(word).name.partition(".")[0]  # mpirun.openmpi, mpiexec.hydra
        if base in _MPIRUN or base == _SRUN:
            found = shutil.which(word)
            return Launcher(Path(found), index, abi_of(Path(found))) if found else None
        if index == 0 and word not in _RUNS_ANOTHER:
            return None
    return None


def abi_of(path: Path) -> str:
    """Binary interface of a launcher's MPI, as in `mpi`; empty if not known, as with srun."""
    if path.name == _SRUN:
        return ""
    said = ask([path, "--version"]).text
    if _OPENMPI.search(said):
        return mpi.OPENMPI
    return mpi.MPICH if _HYDRA.search(said) else ""


def of_mpi(abi: str) -> Path | None:
    """The first launcher on PATH that belongs to an MPI with this binary interface."""
    found = (shutil.which(name) for name in NAMES)
    return next((Path(path) for path in found if path and abi_of(Path(path)) == abi), None)


def abi_mentioned(words: Iterable[str]) -> str:
    """Binary interface of the first launcher among the words of a script."""
    for word in words:
        base = Path(word).name.partition(".")[0]
        found = shutil.which(word) if base in _MPIRUN else None
        if found is not None and (abi := abi_of(Path(found))):
            return abi
    return ""


def preloaded(
    library: Path, environment: Mapping[str, str], program: Application | None = None
) -> str:
    """LD_PRELOAD with `library` before the libraries that are already preloaded.

    The runtime of a sanitizer in `program` comes first, as it requires.
    """
    first = "" if program is None or program.sanitizer is None else str(program.sanitizer)
    return joined(first, str(library), environment.get(_PRELOAD, ""))


def joined(*preloads: str) -> str:
    """Several values of LD_PRELOAD in order: sanitizers' runtimes first, each library once."""
    libraries = dict.fromkeys(filter(None, re.split("[: ]", ":".join(preloads))))
    return ":".join(sorted(libraries, key=lambda path: not is_sanitizer(Path(path).name)))


def together(*libraries: Mapping[str, str]) -> dict[str, str]:
    """Variables of several libraries together; the first library is preloaded before the others."""
    merged = {name: value for each in libraries for name, value in each.items()}
    preloads = [each[_PRELOAD] for each in libraries if _PRELOAD in each]
    return merged | ({_PRELOAD: joined(*preloads)} if preloads else {})


def check_reached(command: Sequence[str], launcher: Launcher | None, program: Application) -> None:
    """Raises InputError if a sanitizer's runtime would be preloaded into more than the ranks.

    A script, or a launcher that passes on its own environment, would then report its own leaks.
    """
    if program.sanitizer is None:
        return
    if launcher is None:
        alone = bool(command) and shutil.which(command[0]) == str(program.path)
    else:
        alone = launcher.abi != "" or _is_srun(command[launcher.index])
    if not alone:
        raise InputError(
            f"{program.path} is built with a sanitizer ({program.sanitizer.name}), which must be "
            f"loaded first, and so would be into {command[0]}, too; put latitude right before the "
            "program instead"
        )


def job(
    command: Sequence[str],
    launcher: Launcher | None,
    variables: Mapping[str, str],
    environment: Mapping[str, str],
) -> Job:
    """The command and environment that give `variables` to every rank."""
    words, inherited = list(command), dict(environment)
    if not variables:
        return Job(words, inherited)
    if launcher is None:
        return Job(words, {**inherited, **variables})
    if _is_srun(words[launcher.index]):
        return _srun(words, launcher.index, variables, inherited)
    if launcher.abi == mpi.OPENMPI:
        return _openmpi(words, launcher.index, variables, inherited)
    if launcher.abi == mpi.MPICH:
        _merge_pairs(words, ("-genv", "-env"), variables)
        options = [word for name, value in variables.items() for word in ("-genv", name, value)]
        return Job(_inserted(words, launcher.index, options), inherited)
    return Job(words, {**inherited, **variables})


def _is_srun(word: str) -> bool:
    return Path(word).name.partition(".")[0] == _SRUN


def _inserted(words: list[str], index: int, options: list[str]) -> list[str]:
    return [*words[: index + 1], *options, *words[index + 1 :]]


def _openmpi(
    words: list[str], index: int, variables: Mapping[str, str], environment: dict[str, str]
) -> Job:
    """Passes variables by -x, or in a given mca_base_env_list; Open MPI rejects both together."""
    given = ";".join(f"{name}={value}" for name, value in variables.items())
    variable = f"OMPI_MCA_{_ENV_LIST}"
    if _ENV_LIST in words:
        at = words.index(_ENV_LIST) + 1
        words[at : at + 1] = [f"{words[at]};{given}"]
        return Job(words, environment)
    if environment.get(variable):
        environment[variable] = f"{environment[variable]};{given}"
        return Job(words, environment)
    for at, (option, value) in enumerate(pairwise(words), start=1):
        if option == "-x" and value.startswith(f"{_PRELOAD}="):
            words[at] = f"{_PRELOAD}={joined(variables[_PRELOAD], value.partition('=')[2])}"
    options = [word for name, value in variables.items() for word in ("-x", f"{name}={value}")]
    # In a command with several programs, which colons separate, -x holds for one program.
    result = words[: index + 1] + options
    for word in words[index + 1 :]:
        result += [word, *options] if word == ":" else [word]
    return Job(result, environment)


def _merge_pairs(words: list[str], options: Sequence[str], variables: Mapping[str, str]) -> None:
    """Appends the user's own LD_PRELOAD, given as OPTION LD_PRELOAD VALUE, to ours."""
    for at in range(len(words) - 2):
        if words[at] in options and words[at + 1] == _PRELOAD:
            words[at + 2] = joined(variables[_PRELOAD], words[at + 2])


def _srun(
    words: list[str], index: int, variables: Mapping[str, str], environment: dict[str, str]
) -> Job:
    """Passes variables by one --export, which includes and replaces an earlier --export."""
    if any("," in value for value in variables.values()):
        return Job(words, {**environment, **variables})  # a comma ends a value of --export
    exported = environment.get("SLURM_EXPORT_ENV") or "ALL"
    for at in range(index + 1, len(words)):
        if words[at] == "--export" and at + 1 < len(words):
            exported = words[at + 1]
            del words[at : at + 2]
            break
        if words[at].startswith("--export="):
            exported = words[at].partition("=")[2]
            del words[at]
            break
    given = [f"{name}={value}" for name, value in variables.items()]
    kept = [] if "NONE" in exported.split(",") else [exported]  # NONE overrides other values
    return Job(_inserted(words, index, [f"--export={','.join([*kept, *given])}"]), environment)


def abi_of_this_process() -> str:
    """Binary interface of the MPI whose launcher started this process; empty if not known."""
    return mpi.OPENMPI if "OMPI_COMM_WORLD_RANK" in os.environ else ""


def rank_of_this_process() -> int | None:
    """The rank that a launcher gave this process; None if no launcher started it."""
    return _number(_RANK_VARIABLES)


def first_on_its_host() -> bool:
    """Whether this rank is the first on its host; it reports errors that all its ranks have."""
    return not _number(_LOCAL_RANK_VARIABLES)


def _number(names: Sequence[str]) -> int | None:
    texts = (os.environ.get(name, "") for name in names)
    return next((int(text) for text in texts if text.isdecimal()), None)


_RANK_VARIABLES = (
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "MV2_COMM_WORLD_RANK",
    "PALS_RANKID",
    "ALPS_APP_PE",
    "FLUX_TASK_RANK",
    "SLURM_PROCID",
)
_LOCAL_RANK_VARIABLES = (
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "MPI_LOCALRANKID",
    "MV2_COMM_WORLD_LOCAL_RANK",
    "PALS_LOCAL_RANKID",
    "FLUX_TASK_LOCAL_ID",
    "SLURM_LOCALID",
)
