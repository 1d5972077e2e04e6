"""The newcomer's walk, by README alone; and the documentation's examples that start MPI programs.

What README says is run line by line on this machine: a C program is compiled and traced, its page
opened, the network measured and made the default, the program injected and validated.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from latitude.render.documents.recorded import verdict
from latitude.results.reading import read_analysis
from support.browser import chromium, opened
from support.documented import Example, Session, examples
from support.mpi.tracing import Tracing
from support.otf2_archive import archive
from support.paths import EXAMPLE_PROGRAMS, EXAMPLES, ROOT

README = "README.md"
PARAVER = ROOT / "build" / "epoch-traces"
HURRY = {
    "fit": "--budget 30ms",
    "measure loggps": "--starts 1 --time 2s",
    "measure pingpong": "--iterations 100",
    "validate": "--repetitions 2 --traces 1",
}
"""In place of 1 s of processor time for each of a hundred distributions, of 30 s of two ranks that
look at the clock, of 4,000 round trips 1 ms apart, and of five runs of each latency and six that
are traced."""
TIMED = re.compile("mpicc |export |latitude (run|measure loggps|network use|inject|validate) ")
"""README's lines whose numbers other programs change, and the lines that they need."""
BUSY = {
    **HURRY,
    "validate": f"{HURRY['validate']} --L 15us --o 2us --G 0.6ns --S 8KiB --only-delta",
}
"""Beside busy loops `measure loggps` alone measures a network. `validate` makes the runs that
README's line names, and no others."""


@pytest.fixture
def session(open_mpi: Tracing, tmp_path: Path) -> Session:
    """A user with Open MPI, who is root on a small machine."""
    mpi = open_mpi.mpi.needed()
    made = Session(tmp_path, mpi.environment)
    made.hurry(HURRY)
    made.program("mpirun", f'exec {mpi.launcher} "$@"')
    made.program("mpicc", f'exec {mpi.mpicc} "$@"')
    return made


def _other_traces(directory: Path) -> None:
    """Traces by other tools, as README names them."""
    with archive(directory / "scorep-run", 2) as run:
        for rank in run.ranks:
            rank.call("MPI_Init", 500, 1000)
            rank.call("main", 1000, 4000)
            rank.call("MPI_Finalize", 4000, 5000)
    (paraver,) = sorted(PARAVER.glob("*.prv.gz"))[:1]
    (directory / "run.prv.gz").symlink_to(paraver)
    (directory / "run.pcf").symlink_to(paraver.with_name(paraver.name.replace(".prv.gz", ".pcf")))
    unpacked = directory / "trace"
    unpacked.mkdir()
    packed = EXAMPLES / "lulesh-8-i20-s8.tar.xz"
    subprocess.run(["/bin/tar", "-xf", packed, "-C", unpacked], check=True)


@contextmanager
def _busy(loops: int) -> Iterator[None]:
    """Other programs that compute all the time, as on a laptop in use."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for each in running:
            each.kill()
            each.wait()


@pytest.mark.essential
def test_a_newcomer_needs_readme_alone(session: Session, tmp_path: Path) -> None:
    _other_traces(tmp_path)
    printed = session.run_page(README)
    _is_what_was_asked(session, tmp_path)
    # By validate with the program's own launch line: as the network is, and with 100 µs.
    starts = re.findall(r"^measuring the network: (\d) start", printed, re.MULTILINE)
    assert starts[-2:] == ["5", "1"]
    validation = json.loads((tmp_path / "latitude-validate" / "validation.json").read_text())
    assert validation["program"] == "app"
    assert validation["network_source"].startswith("measured here, ")
    assert validation["model"]["o_ns"] > 0
    assert (tmp_path / "latitude-validate" / "network" / "cluster.toml").is_file()


def test_beside_busy_loops_no_number_is_wrong_without_a_mark(
    session: Session, tmp_path: Path
) -> None:
    session.hurry(BUSY)
    with _busy(3):
        session.run_page(README, TIMED)
    _is_what_was_asked(session, tmp_path)


def _is_what_was_asked(session: Session, tmp_path: Path) -> None:
    """Results are whole, say how far to trust them, and fit their pages; no run failed."""
    _says_how_far_to_trust_it(tmp_path)
    analysis = json.loads((tmp_path / "result" / "analysis.json").read_text(encoding="utf-8"))
    assert analysis["trace"]["ranks"] == 8
    validation = tmp_path / "latitude-validate" / "validation.json"
    found = json.loads(validation.read_text(encoding="utf-8"))
    assert found["failures"] == []
    measured = str((tmp_path / "latitude-loggps" / "cluster.toml").resolve())
    with chromium() as browser:
        for name in ("result", "latitude-validate"):
            with opened(browser, tmp_path / name / "report.html", 1400, "light") as shown:
                assert all(chart["marks"] for chart in shown.charts())
                assert shown.sideways() <= 0
                assert shown.violations() == []
                assert shown.problems == []
    session.run(Example(README, 0, "console", f"$ latitude network show\n… {measured} …\n", ""))


def _says_how_far_to_trust_it(directory: Path) -> None:
    """A prediction far from the recorded run, and a validation without a verdict, say why."""
    result = directory / "result"
    agreement = verdict(read_analysis(result / "analysis.json"))
    assert agreement is not None
    page = (result / "report.html").read_text(encoding="utf-8")
    assert ("T is not the time of the recorded run" in page) == agreement.doubtful
    validation = directory / "latitude-validate" / "validation.json"
    conclusion = json.loads(validation.read_text(encoding="utf-8"))["conclusion"]
    assert conclusion["why"] or conclusion["verdict"] != "unknown"


@pytest.mark.essential
def test_the_page_on_goal_shows_the_example_that_ships() -> None:
    page = examples("docs/reference/goal.md")
    shown = [each.text for each in page if each.text.startswith("num_ranks")]
    shipped = (EXAMPLES / "two-ranks.goal").read_text(encoding="utf-8")
    code = [line for line in shipped.splitlines() if line and not line.startswith("//")]
    assert [text.splitlines() for text in shown] == [code]


@pytest.mark.parametrize(
    "page",
    ["commands/measure", "commands/scaling", "commands/trace", "tutorials/first-report"],
)
def test_examples_that_start_programs(
    session: Session, open_mpi: Tracing, tmp_path: Path, page: str
) -> None:
    program = open_mpi.mpi.program(EXAMPLE_PROGRAMS / "halo.c")
    session.program("app", f"exec {program} --iterations 20")
    (tmp_path / "app").symlink_to(tmp_path / "bin" / "app")
    session.program("job.sh", "mpirun -n 2 ./app")
    (tmp_path / "job.sh").symlink_to(tmp_path / "bin" / "job.sh")
    session.run_page(f"docs/{page}.md")
