"""`latitude measure`: programs built, started by a launcher, and read."""

from collections.abc import Callable
from pathlib import Path

import pytest

from latitude._core import InputError
from latitude.launch import sources
from latitude.measure.results import read
from support.command import Run
from support.compiling import STRICT, built, built_object, written
from support.mpi.library import Library, mpich
from support.virtual import building

Refused = Callable[..., str]
PROGRAMS = [
    path.name
    for path in sorted(sources.directory("bench").iterdir())
    if path.is_dir() and path.name not in {"common", "tests"}
]


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_compile_without_warnings(mpi: Library, name: str) -> None:
    for source in building.sources("bench/common", f"bench/{name}"):
        built_object(source, *STRICT, *building.flags("bench"), compiler=mpi.mpicc)


def test_results_that_exist_are_kept(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "loggps.bench").write_text("mine")
    line = refused("measure", "loggps", "-o", tmp_path, "--", "mpiexec.mpich", "-n", "2")
    assert "loggps.bench: exists already; pass --force" in line


def test_a_launch_line_is_needed(refused: Refused) -> None:
    assert "no launch line; write e.g. latitude measure loggps -- mpirun" in refused(
        "measure", "loggps"
    )


def test_a_job_that_fails_is_told(latitude: Run, mpi: Library, tmp_path: Path) -> None:
    line = ["measure", "loggps", "-o", tmp_path / "out", "--", *mpi.run(1)]
    done = latitude(*line, env=mpi.environment)
    assert done.returncode == 2
    assert "latitude: error: two ranks or more are needed\n" in done.stderr
    last = done.stderr.splitlines()[-1]
    assert "the measurement ended with exit status" in last
    assert last.endswith("give --mpicc if the launcher is another MPI's")
    assert not list((tmp_path / "out").iterdir())


def test_a_rank_that_cannot_finalize_is_let_go(latitude: Run, builds: Path, tmp_path: Path) -> None:
    """MPICH 4.0 over UCX's TCP sometimes writes everything, but does not end."""
    source = "int pause(void); int MPI_Finalize(void) { for (;;) pause(); }"
    stuck = built("stuck.so", "-shared", "-fPIC", written("stuck.c", source))
    library = mpich(builds)
    launch = [*library.run(2), "-genv", "LD_PRELOAD", str(stuck)]
    line = ["measure", "loggps", "-o", tmp_path / "out", "--most", "64B", "--time", "1s"]
    line += ["--starts", "1"]
    done = latitude(*line, "--", *launch, env=library.environment)
    assert done.returncode == 0, done.stderr
    assert "Next: latitude analyze" in done.stdout


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"spam\n", "it does not begin 'latitude-bench 1'"),
        (b"latitude-bench 1 x\ntext ranks 2\n", "ends without its last line"),
        (b"latitude-bench 1 x\nseries 2 a\n12345678\nend\n", "ends within the series 'a'"),
        (b"latitude-bench 1 x\nspam 2\nend\n", "'spam' is no entry"),
    ],
)
def test_files_that_are_not_whole_are_refused(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "x.bench"
    path.write_bytes(content)
    with pytest.raises(InputError, match=said):
        read(path)
