"""Whether the injector builds, and whether the MPIs here use what it delays."""

import re
from collections.abc import Iterator

from latitude._core import InputError
from latitude.doctor.finding import MISSING, NOTE, OK, Finding
from latitude.runtime import mpi
from latitude.runtime.ask import ask
from latitude.runtime.injecting.compiler import injector

_AREA = "injection"
_UCX = re.compile(r"libucp\.so[.\d]*")
_OPENMPI_UCX = re.compile(r"MCA pml: ucx")


def flow() -> Iterator[Finding]:
    """The library, then each MPI."""
    try:
        yield Finding(_AREA, "injector", OK, "built", facts={"library": str(injector())})
    except InputError as error:
        yield Finding(
            _AREA,
            "injector",
            MISSING,
            str(error),
            "`latitude inject` does not work",
            "install a C compiler (Debian: gcc libc6-dev)",
            {"library": None},
        )
        return
    for known in mpi.find():
        yield _of(known)


def _of(known: mpi.Mpi) -> Finding:
    facts = {"mpicc": str(known.mpicc), "ucx": _uses_ucx(known)}
    if not facts["ucx"]:
        return Finding(
            _AREA,
            str(known),
            MISSING,
            "no UCX in it",
            "`latitude inject --flow` cannot delay its messages",
            "use an MPICH built with ch4:ucx, or an Open MPI with pml/ucx",
            facts,
        )
    if known.abi == mpi.OPENMPI:
        return Finding(
            _AREA,
            str(known),
            NOTE,
            "has pml/ucx, but chooses it by itself only on InfiniBand and RoCE",
            "elsewhere `latitude inject --flow` finds nothing to delay",
            "OMPI_MCA_pml=ucx OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any",
            facts,
        )
    return Finding(_AREA, str(known), OK, "sends through UCX", facts=facts)


def _uses_ucx(known: mpi.Mpi) -> bool:
    if known.abi == mpi.OPENMPI:
        beside = known.mpicc.parent / "ompi_info"
        return bool(_OPENMPI_UCX.search(ask([beside, "--all"]).text))
    library = re.search(r"-L(\S+)", known.show)
    if library is None:
        return bool(_UCX.search(ask(["ldd", "/usr/lib/libmpich.so"]).text))
    return bool(_UCX.search(ask(["ldd", f"{library[1]}/libmpich.so"]).text))
