"""Finds MPI libraries and launchers, and checks whether the tracer builds against the libraries."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from latitude._core import InputError
from latitude.launch import mpi, preflight
from latitude.launch.ask import ask
from latitude.launch.build import cache, library, path_of
from latitude.launch.launcher import NAMES, abi_of
from latitude.launch.tracing.session import LIBRARY
from latitude.results.doctor import MISSING, NOTE, OK, Finding

_AREA = "MPI"
_VERSION = re.compile(r"\b\d+\.\d+")
_HYDRA = re.compile(r"HYDRA build details:\s*Version:\s*(\S+)")


def libraries() -> Iterator[Finding]:
    """Findings about each MPI with a compiler wrapper, and about the standard's binary interface.

    Latitude builds the tracer for each, which fills the cache.
    """
    found = list(mpi.find())
    for known in found:
        yield _built(known)
    if not found:
        yield Finding(
            area=_AREA,
            name="mpicc",
            state=MISSING,
            found="none found",
            costs="`latitude trace` cannot build the tracer; reading traces works",
            remedy=mpi.INSTALL,
        )
    if not any(known.abi == mpi.STANDARD for known in found):
        yield _built(mpi.standard())


def _built(known: mpi.Mpi) -> Finding:
    facts = {
        "mpicc": str(known.mpicc),
        "library": known.name,
        "version": known.version,
        "compiler": known.compiler,
    }
    name = f"{known.mpicc}"
    try:
        cached = path_of(LIBRARY, known).is_file()
        path = library(LIBRARY, known)
    except InputError as error:
        return Finding(
            area=_AREA,
            name=name,
            state=MISSING,
            found=f"{known}: {error}",
            costs=f"programs of {known} cannot be traced",
            remedy="see the log; the compiler and the MPI's headers must fit",
            facts={**facts, "tracer": None, "cached": False},
        )
    kept = "in the cache" if cache() in path.parents else "comes with Latitude"
    how = kept if cached else "built now"
    return Finding(
        area=_AREA,
        name=name,
        state=OK,
        found=f"{', '.join(filter(None, (str(known), known.compiler)))}; tracer {how}",
        facts={**facts, "tracer": str(path), "cached": cached},
    )


def launchers() -> Iterator[Finding]:
    """Findings about the launchers on PATH."""
    seen: set[Path] = set()
    for name in NAMES:
        path = shutil.which(name)
        if path is None:
            continue
        program = Path(path).resolve()
        if program in seen:
            continue
        seen.add(program)
        said = ask([path, "--version"]).text
        hydra = _HYDRA.search(said)
        found = f"Hydra {hydra[1]} (MPICH)" if hydra else _versioned_line(said) or "no version"
        wrong, flags = _of_openmpi(path) if abi_of(Path(path)) == mpi.OPENMPI else ([], [])
        yield Finding(
            area="launcher",
            name=path,
            state=NOTE if flags else OK,
            found=found,
            costs="; ".join(wrong),
            remedy=f"add {' '.join(flags)}" if flags else "",
            facts={"path": path, "version": found, "options": flags},
        )
    if not seen:
        yield Finding(
            area="launcher",
            name="mpirun",
            state=NOTE if shutil.which("srun") else MISSING,
            found="none on PATH",
            costs="MPI programs start by srun only, or not at all",
            remedy="install openmpi-bin or mpich, or load the MPI's module",
        )


def _of_openmpi(launcher: str) -> tuple[list[str], list[str]]:
    """Kinds of jobs that a launcher of Open MPI rejects here, and options that allow these jobs."""
    wrong, flags = [], []
    if preflight.refuses_root([], os.environ):
        wrong.append("starts no programs for root")
        flags.append(preflight.ROOT_FLAG)
    more = 2 * len(os.sched_getaffinity(0))
    if preflight.lacks_slots(Path(launcher), ["-n", str(more)]):
        wrong.append(f"has slots for fewer than {more} ranks")
        flags.append(preflight.SLOTS_FLAG)
    return wrong, flags


def _versioned_line(said: str) -> str:
    """The first line with a version, after boxes that launchers without help files print."""
    return next((line.strip() for line in said.splitlines() if _VERSION.search(line)), "")
