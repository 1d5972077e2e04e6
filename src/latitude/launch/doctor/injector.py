"""Checks whether the injector builds, and whether it can delay messages of this machine's MPIs."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from latitude._core import InputError
from latitude.launch import mpi
from latitude.launch.ask import ask
from latitude.launch.injecting.compiler import injector
from latitude.launch.relay import lacking
from latitude.results.doctor import MISSING, NOTE, OK, Finding

_AREA = "injection"
UCX, LIBFABRIC = "UCX", "libfabric"
_LIBRARIES = {UCX: re.compile(r"libucp\.so[.\d]*"), LIBFABRIC: re.compile(r"libfabric\.so[.\d]*")}
_COMPONENTS = {UCX: "MCA pml: ucx", LIBFABRIC: "MCA mtl: ofi"}
_CHOICES = {
    UCX: "OMPI_MCA_pml=ucx OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any",
    LIBFABRIC: "OMPI_MCA_pml=cm OMPI_MCA_mtl=ofi",
}
_INTEL = "Intel MPI"


def flow() -> Iterator[Finding]:
    """Findings about the injector's library, then about each MPI."""
    try:
        yield Finding(
            area=_AREA, name="injector", state=OK, found="built", facts={"library": str(injector())}
        )
    except InputError as error:
        yield Finding(
            area=_AREA,
            name="injector",
            state=MISSING,
            found=str(error),
            costs="`latitude inject` does not work",
            remedy="install a C compiler (Debian: gcc libc6-dev)",
            facts={"library": None},
        )
        return
    for known in mpi.find():
        yield _of(known)


def relay() -> Iterator[Finding]:
    """A finding that tells whether this machine can make the relay's network device."""
    missing = lacking()
    if missing is None:
        yield Finding(area=_AREA, name="relay", state=OK, found="can make its device", facts={})
        return
    yield Finding(
        area=_AREA,
        name="relay",
        state=NOTE,
        found=missing[0],
        costs="`latitude inject --ip` does not work, which only checks of the injectors need",
        remedy=missing[1],
        facts={},
    )


def _of(known: mpi.Mpi) -> Finding:
    stacks = _stacks(known)
    facts = {"mpicc": str(known.mpicc), "ucx": UCX in stacks, "libfabric": LIBFABRIC in stacks}
    if not stacks:
        return _undelayed(known, "neither UCX nor libfabric in it", facts)
    names = " and ".join(stacks)
    if known.abi == mpi.OPENMPI:
        return Finding(
            area=_AREA,
            name=str(known),
            state=NOTE,
            found=f"has {names}, but chooses them by itself only on fast networks",
            costs="elsewhere `latitude inject --flow` finds nothing to delay",
            remedy=", or ".join(_CHOICES[stack] for stack in stacks),
            facts=facts,
        )
    return Finding(
        area=_AREA, name=str(known), state=OK, found=f"sends through {names}", facts=facts
    )


def _undelayed(known: mpi.Mpi, why: str, facts: dict[str, Any]) -> Finding:
    return Finding(
        area=_AREA,
        name=str(known),
        state=MISSING,
        found=why,
        costs="`latitude inject --flow` cannot delay its messages",
        remedy="use an MPICH built with ch4:ucx or ch4:ofi, an Open MPI with pml/ucx or mtl/ofi, "
        "or Intel MPI",
        facts=facts,
    )


def _stacks(known: mpi.Mpi) -> list[str]:
    """Libraries, among UCX and libfabric, through which the MPI can send."""
    if known.abi == mpi.OPENMPI:
        said = ask([known.mpicc.parent / "ompi_info", "--all"]).text
        return [stack for stack, component in _COMPONENTS.items() if component in said]
    if known.name == _INTEL:  # loads libfabric itself when it starts
        return [LIBFABRIC]
    place = re.search(r"-L(\S+)", known.show)
    directory = Path(place[1]) if place is not None else Path("/usr/lib")
    libraries = [*directory.glob("libmpich.so*"), *directory.glob("libmpi.so*")]
    said = "".join(ask(["ldd", library]).text for library in sorted(libraries))
    return [stack for stack, pattern in _LIBRARIES.items() if pattern.search(said)]
