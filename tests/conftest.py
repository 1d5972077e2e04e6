"""Fixtures shared by all tests."""

import fcntl
import gc
import io
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, settings

from latitude.cli.main import main
from support.campaigns.campaign import Campaign
from support.command import LATITUDE, Run, started
from support.compiling import BUILDS
from support.longest import LONGEST
from support.mpi.injecting import Injecting
from support.mpi.library import LIBRARIES, Library, mpich, openmpi
from support.mpi.spanning import Spanning
from support.mpi.traced import Mpi
from support.mpi.tracing import Tracing
from support.needed import lacked
from support.paths import EXAMPLES, TRACES
from support.slurm.cluster import Cluster, SlurmMissingError
from support.tiers import mark

# A run that was started in the background, or by nohup, ignores signals, and so would what tests
# start.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGTERM, signal.SIG_DFL)

# The tests must not depend on the default network of the user who runs them.
os.environ["LATITUDE_NETWORK"] = ""

# No deadlines, which a busy machine would miss; the same examples each time, so that a change is
# judged by what it changed. LATITUDE_EXPLORE=1 draws others: it finds what nobody thought of.
_NO_HASTE = [HealthCheck.too_slow]
settings.register_profile(
    "same", deadline=None, derandomize=True, database=None, suppress_health_check=_NO_HASTE
)
settings.register_profile(
    "explore", deadline=None, suppress_health_check=_NO_HASTE, max_examples=1000
)
settings.load_profile("explore" if os.environ.get("LATITUDE_EXPLORE") else "same")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collects tests without the garbage collector, which later need not look at them either.

    Modules, tests and their parameters stay as long as the process. To look at them again and again
    takes a quarter of the time of a collection of tests.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    mark(item)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    if said := lacked([str(report.longrepr) for report in skipped]):
        terminalreporter.write_line(said)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    place = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path.stem, len(LONGEST)))


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


@pytest.fixture
def elsewhere() -> Iterator[Path]:
    """An empty folder in another file system than that of temporary files."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        assert Path(name).stat().st_dev != Path(tempfile.gettempdir()).stat().st_dev
        yield Path(name)


@pytest.fixture(scope="session")
def latitude() -> Run:
    """Runs the command in a process of its own."""

    def run(*arguments: object, **options: Any) -> "subprocess.CompletedProcess[str]":
        given = options.pop("env", None)
        environment = dict(os.environ if given is None else given)
        return started([*LATITUDE, *map(str, arguments)], environment, **options)

    return run


@pytest.fixture(scope="session")
def refused() -> Callable[..., str]:
    """Runs a command that must be refused: exit status 2 and one line; returns that line.

    In this process: to import what a command needs takes others most of their time.
    """

    def run(
        *arguments: object, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> str:
        out, err = io.StringIO(), io.StringIO()
        with ExitStack() as stack:
            if env is not None:
                stack.enter_context(mock.patch.dict(os.environ, env, clear=True))
            if cwd is not None:
                stack.callback(os.chdir, Path.cwd())
                os.chdir(cwd)
            stack.enter_context(redirect_stdout(out))
            stack.enter_context(redirect_stderr(err))
            status = main(list(map(str, arguments)))
        said = err.getvalue()
        assert (status, out.getvalue()) == (2, ""), said
        assert said.startswith("latitude: error: ")
        assert said.count("\n") == 1
        return said.removeprefix("latitude: error: ").rstrip("\n")

    return run


@pytest.fixture(scope="session", params=[openmpi, mpich], ids=["openmpi", "mpich"])
def mpi(request: pytest.FixtureRequest, builds: Path) -> Library:
    """Each of the two MPIs; a machine without them cannot test tracing."""
    library: Library = request.param(builds)
    return library.needed()


@pytest.fixture(scope="session", params=LIBRARIES)
def any_mpi(request: pytest.FixtureRequest, builds: Path) -> Library:
    """Each MPI that tests can have."""
    return LIBRARIES[request.param](builds).needed()


@pytest.fixture(scope="session")
def any_tracer(any_mpi: Library) -> Mpi:
    """Each of these with the bare tracer."""
    return Mpi(any_mpi)


@pytest.fixture(scope="session")
def builds() -> Path:
    """Cache of built files for all tests and all processes that run them."""
    BUILDS.mkdir(parents=True, exist_ok=True)
    return BUILDS


@pytest.fixture
def tracing(mpi: Library, tmp_path: Path) -> Tracing:
    """`latitude trace` with each of the two MPIs."""
    return Tracing(mpi, tmp_path)


@pytest.fixture
def open_mpi(builds: Path, tmp_path: Path) -> Tracing:
    """`latitude trace` with Open MPI: Debian's programs, and what depends on no MPI."""
    return Tracing(openmpi(builds), tmp_path)


@pytest.fixture(scope="session")
def tracer(mpi: Library) -> Mpi:
    """Each of the two MPIs with the bare tracer."""
    return Mpi(mpi)


@pytest.fixture
def injecting(mpi: Library, tmp_path: Path) -> Injecting:
    """`latitude inject` with each of the two MPIs."""
    return Injecting(mpi, tmp_path)


@pytest.fixture
def open_mpi_injecting(builds: Path, tmp_path: Path) -> Injecting:
    """Injecting with Open MPI, for tests that do not depend on the MPI."""
    return Injecting(openmpi(builds), tmp_path)


@pytest.fixture
def spanning(mpi: Library, tmp_path: Path) -> Spanning:
    """Several hosts with each of the two MPIs."""
    return Spanning(mpi, tmp_path)


@pytest.fixture
def open_mpi_spanning(builds: Path, tmp_path: Path) -> Spanning:
    """Spanning with Open MPI, for tests that do not depend on the MPI."""
    return Spanning(openmpi(builds), tmp_path)


@pytest.fixture(scope="module")
def slurm_cluster() -> Iterator[Cluster]:
    """Six nodes on this host: what a launcher does not hand on does not arrive.

    One at a time: tests beside each other wait for it.
    """
    with (
        (Path(tempfile.gettempdir()) / f"latitude-slurm-{os.getuid()}.lock").open("w") as lock,
        tempfile.TemporaryDirectory(prefix="slurm", ignore_cleanup_errors=True) as name,
    ):
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = Cluster(Path(name))
        try:
            made.start()
        except (SlurmMissingError, OSError, subprocess.SubprocessError) as error:
            made.stop()
            pytest.fail(f"no Slurm could be started: it is NOT tested here: {error}")
        try:
            yield made
        finally:
            made.stop()


@pytest.fixture
def slurm(slurm_cluster: Cluster) -> dict[str, str]:
    """The variables with which Slurm's commands find it."""
    return {name: slurm_cluster.environment[name] for name in ("PATH", "SLURM_CONF")}


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    """A campaign of shell scripts."""
    return Campaign(tmp_path, {})
