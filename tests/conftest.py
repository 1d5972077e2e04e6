"""Fixtures shared by all tests."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mpi.injecting import Injecting
from mpi.library import Library, mpich, openmpi
from mpi.traced import Mpi
from mpi.tracing import Tracing

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
TRACES = ROOT.parent / "shared" / "traces"

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def examples() -> Path:
    return EXAMPLES


@pytest.fixture(scope="session")
def lulesh(examples: Path) -> Path:
    return examples / "lulesh-8-i20-s8.tar.xz"


@pytest.fixture(scope="session")
def two_ranks(examples: Path) -> Path:
    return examples / "two-ranks.goal"


@pytest.fixture(scope="session")
def traces() -> Path:
    """The shared traces; only a machine that is not CI may lack them."""
    if not TRACES.is_dir():
        if os.environ.get("CI") == "true":
            pytest.fail(f"{TRACES} is missing, and CI must test the real traces")
        pytest.skip(f"{TRACES} is missing: the real traces are NOT tested here")
    return TRACES


@pytest.fixture(scope="session")
def latitude() -> Run:
    """Runs the command in a process of its own."""

    def run(*arguments: object, **options: object) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(  # type: ignore[call-overload, no-any-return]
            [sys.executable, "-m", "latitude", *map(str, arguments)],
            capture_output=True,
            check=False,
            encoding="utf-8",
            timeout=300,
            **options,
        )

    return run


@pytest.fixture(scope="session")
def refused(latitude: Run) -> Callable[..., str]:
    """Runs a command that must be refused: exit status 2 and one line; returns that line."""

    def run(*arguments: object, **options: object) -> str:
        done = latitude(*arguments, **options)
        assert done.returncode == 2, done.stderr
        assert done.stdout == ""
        assert done.stderr.startswith("latitude: error: ")
        assert done.stderr.count("\n") == 1
        return done.stderr.removeprefix("latitude: error: ").rstrip("\n")

    return run


def published_histograms(readme: Path) -> dict[str, dict[str, int]]:
    """Archive name → call → count, from the table in the shared README."""
    found: dict[str, dict[str, int]] = {}
    for line in readme.read_text(encoding="utf-8").splitlines():
        match = re.fullmatch(r"- `([\w.-]+)`: (.+)", line)
        if match:
            pairs = re.findall(r"(\w+) ([\d,]*\d)", match[2])
            found[match[1]] = {name: int(count.replace(",", "")) for name, count in pairs}
    return found


@pytest.fixture(scope="session", params=[openmpi, mpich], ids=["openmpi", "mpich"])
def mpi(request: pytest.FixtureRequest, builds: Path) -> Library:
    """Each of the two MPIs; a machine without them cannot test tracing."""
    library: Library = request.param(builds)
    assert not library.missing(), f"not installed: {library.missing()}; run tools/need-mpi.sh"
    return library


@pytest.fixture(scope="session")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Programs and tracers, built once for all tests."""
    return tmp_path_factory.mktemp("builds")


@pytest.fixture
def tracing(mpi: Library, tmp_path: Path) -> Tracing:
    """`latitude trace` with each of the two MPIs."""
    return Tracing(mpi, tmp_path)


@pytest.fixture
def open_mpi(builds: Path, tmp_path: Path) -> Tracing:
    """`latitude trace` with Open MPI: Debian's programs, and what depends on no MPI."""
    return Tracing(openmpi(builds), tmp_path)


@pytest.fixture(scope="session")
def tracer(mpi: Library, builds: Path) -> Mpi:
    """Each of the two MPIs with the bare tracer."""
    return Mpi(mpi, builds)


@pytest.fixture
def injecting(mpi: Library, tmp_path: Path) -> Injecting:
    """`latitude inject` with each of the two MPIs."""
    return Injecting(mpi, tmp_path)
