"""The tracer is built once for each MPI, by any number of processes, or says why not."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from latitude.launch import sources
from support.command import LATITUDE, Run
from support.mpi.library import Library
from support.mpi.tracing import Tracing, said
from support.schemas import document

Refused = Callable[..., str]


def _libraries(cache: Path) -> dict[str, Path]:
    return {path.name: path for path in (cache / "latitude" / "runtime").glob("*/lib*.so")}


def test_it_is_built_once_and_then_kept(open_mpi: Tracing) -> None:
    program = open_mpi.mpi.program("behave.c")
    cache = open_mpi.directory / "cache"
    environment = {"XDG_CACHE_HOME": str(cache)}
    open_mpi.options.append("--force")
    assert open_mpi.left(1, program, environment=environment).returncode == 0
    built = _libraries(cache)
    assert built.keys() == {"libtracer.so", "libtransports.so"}
    before = [path.stat() for path in built.values()]
    for path in built.values():
        assert "-shared" in (path.parent / "build.log").read_text()
    assert open_mpi.left(1, program, environment=environment).returncode == 0
    assert _libraries(cache) == built
    assert [path.stat() for path in built.values()] == before


def test_many_at_once_build_it_whole(open_mpi: Tracing) -> None:
    cache = open_mpi.directory / "cache"
    command = [*LATITUDE, "env", "--mpicc", open_mpi.mpi.mpicc]
    environment = {**open_mpi.mpi.environment, "XDG_CACHE_HOME": str(cache)}
    running = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, encoding="utf-8")
        for _ in range(8)
    ]
    outputs = {process.communicate()[0] for process in running}
    assert {process.returncode for process in running} == {0}
    (built,) = _libraries(cache).values()
    assert len(outputs) == 1
    assert f"export LD_PRELOAD={built}" in outputs.pop()
    assert sorted(path.name for path in built.parent.iterdir()) == [
        "build.log",
        "libtracer.so",
        "libtracer.so.sha256",
        "lock",
    ]


def test_each_mpi_has_its_own(tracing: Tracing) -> None:
    """Uses the wrapper of the program's library if the wrappers of both MPIs exist."""
    done = tracing.left(1, tracing.mpi.program("behave.c"))
    assert done.returncode == 0, done.stderr
    wrapper = Path(tracing.described()["mpicc"])
    shown = subprocess.run([wrapper, "-show"], capture_output=True, text=True, check=True).stdout
    assert ("openmpi" in shown) == (tracing.mpi.name == "openmpi")


def test_another_mpis_wrapper_is_refused(tracing: Tracing) -> None:
    other = "mpicc.mpich" if tracing.mpi.name == "openmpi" else "mpicc.openmpi"
    tracing.options += ["--mpicc", other]
    done = tracing.left(1, tracing.mpi.program("behave.c"))
    assert done.returncode == 2
    (line,) = said(done)
    assert "but" in line
    assert "is linked to" in line
    assert line.endswith("give the mpicc of that MPI")


@pytest.fixture
def no_mpi(tmp_path: Path) -> dict[str, str]:
    """An environment whose PATH has the common programs and no MPI."""
    directory = tmp_path / "bin"
    directory.mkdir()
    for name in ("sh", "gcc", "cc", "as", "ld", "ldd", "echo", "true"):
        (directory / name).symlink_to(shutil.which(name) or name)
    hidden = ("MPICC", "MPI_HOME", "OMPI_", "PMI")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
    return {**kept, "PATH": str(directory), "XDG_CACHE_HOME": str(tmp_path / "cache")}


def test_without_mpicc_it_says_what_to_install(refused: Refused, no_mpi: dict[str, str]) -> None:
    for words in (["trace", "--", "echo", "hello"], ["env"]):
        line = refused(*words, env=no_mpi)
        assert line.startswith("no mpicc found that knows mpi.h; install your MPI's development")
        assert "Debian: libopenmpi-dev or libmpich-dev" in line
        assert "--mpicc FILE" in line


def test_a_wrapper_that_is_none_is_refused(refused: Refused, no_mpi: dict[str, str]) -> None:
    line = refused("env", "--mpicc", "absent", env=no_mpi)
    assert line == "--mpicc: absent: no such program; give the MPI compiler wrapper"
    line = refused("env", "--mpicc", "gcc", env=no_mpi)
    assert line.endswith("gcc cannot find mpi.h; give the MPI compiler wrapper")


def test_mpi_home_is_looked_in(latitude: Run, no_mpi: dict[str, str], tmp_path: Path) -> None:
    home = tmp_path / "mpi"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "mpicc").symlink_to(shutil.which("mpicc.mpich") or "mpicc.mpich")
    done = latitude("env", env={**no_mpi, "MPI_HOME": str(home)})
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"# MPICH 4.0.2, {home}/bin/mpicc\n")


def test_a_compiler_that_fails_is_told_with_its_log(refused: Refused, tmp_path: Path) -> None:
    """A wrapper that knows mpi.h and cannot compile."""
    wrapper = tmp_path / "mpicc"
    wrapper.write_text(
        '#!/bin/sh\ncase " $* " in *" -E "*|*" -show "*|*" --version "*) exec mpicc.mpich "$@";; '
        'esac\necho "mpicc: note" >&2\necho "spam.c:3: fatal error: no disk" >&2\nexit 1\n'
    )
    wrapper.chmod(0o755)
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    line = refused("env", "--mpicc", wrapper, env=environment)
    assert "cannot build 'tracer': spam.c:3: fatal error: no disk (see " in line
    log = Path(line.rpartition("(see ")[2].rstrip(")"))
    assert "mpicc: note" in log.read_text()


def test_a_cache_that_cannot_be_written_is_told(refused: Refused) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": "/proc/cache"}
    line = refused("env", "--mpicc", "mpicc.mpich", env=environment)
    assert "'tracer' cannot be kept there" in line
    assert "set XDG_CACHE_HOME" in line


def test_the_sources_are_found() -> None:
    names = {path.suffix for path in sources.of_library("tracer").all_files()}
    assert {".c", ".h", ".def"} <= names
    assert all(path.suffix in {".c", ".S"} for path in sources.of_library("tracer").compiled())


def test_the_exports_trace_a_program(latitude: Run, mpi: Library, tmp_path: Path) -> None:
    program = mpi.program("behave.c")
    directory = tmp_path / "a trace's directory"
    done = latitude("env", "-o", directory, "--clock", "wall", program, env=mpi.environment)
    assert done.returncode == 0, done.stderr
    script = tmp_path / "job.sh"
    script.write_text(f"{done.stdout}\n{' '.join(mpi.run(2, program))}\n")
    subprocess.run(["/bin/sh", script], check=True, env=mpi.environment)
    assert sorted(path.name for path in directory.iterdir()) == [
        "rank-0000000.lat",
        "rank-0000001.lat",
    ]


def test_doctor_reports_as_text_and_as_json(
    latitude: Run, open_mpi: Tracing, no_mpi: dict[str, str], tmp_path: Path
) -> None:
    done = latitude("doctor", env=open_mpi.mpi.environment)
    assert done.returncode == 0, done.stderr
    for name in ("Open MPI 4.1.4", "MPICH 4.0.2", "launcher", "RDMA", "Slurm", "CPU", "symbols"):
        assert name in done.stdout
    found = tmp_path / "doctor.json"
    done = latitude("doctor", "--json", found, env=no_mpi)
    assert done.returncode == 0, done.stderr
    described = document(found.read_text())
    wrapper, standard = [f for f in described["findings"] if f["area"] == "MPI"]
    assert (standard["name"], standard["state"]) == ("abi", "ok")
    assert (wrapper["name"], wrapper["state"]) == ("mpicc", "missing")
    assert "cannot build the tracer" in wrapper["costs"]
    assert "libopenmpi-dev" in wrapper["remedy"]
    for finding in described["findings"]:
        assert finding["state"] in {"ok", "note", "missing"}
        assert finding["state"] == "ok" or (finding["costs"] and finding["remedy"])
