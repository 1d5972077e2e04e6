"""`latitude run`: from a program to its report in one command."""

import json

from support.mpi.tracing import LATITUDE, Tracing, said


def words(*command: object, options: tuple[str, ...] = ()) -> list[str]:
    return [*LATITUDE, "run", "-o", "result", *options, "--", *map(str, command)]


def test_one_command_leaves_trace_page_and_data(tracing: Tracing) -> None:
    program = tracing.mpi.program("behave.c")
    network = ("--L", "2us", "--o", "1us")
    done = tracing.start(words(*tracing.mpi.run(3, program), options=network))
    assert done.returncode == 0, done.stderr
    result = tracing.directory / "result"
    assert "This program tolerates" in done.stdout
    assert "result/report.html" in done.stdout
    assert said(done)[0].startswith("latitude: result/trace: 3 ranks")
    assert (result / "report.html").stat().st_size > 10_000
    analysis = json.loads((result / "analysis.json").read_text(encoding="utf-8"))
    assert analysis["trace"]["ranks"] == 3
    assert analysis["model"]["L_ns"] == 2000
    again = tracing.start([*LATITUDE, "analyze", *network, "--json", "-", "result/trace"])
    assert json.loads(again.stdout)["baseline"] == analysis["baseline"]


def test_results_are_not_overwritten_and_the_program_is_not_started(open_mpi: Tracing) -> None:
    command = open_mpi.mpi.run(1, open_mpi.mpi.program("behave.c"))
    assert open_mpi.start(words(*command)).returncode == 0
    refused = open_mpi.start(words(*command))
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert "result/report.html: exists already; pass --force" in refused.stderr
    assert open_mpi.start(words(*command, options=("--force",))).returncode == 0


def test_the_status_of_a_program_that_fails_is_passed_on(open_mpi: Tracing) -> None:
    command = open_mpi.mpi.run(1, open_mpi.mpi.program("behave.c"), "status")
    done = open_mpi.start(words(*command))
    assert done.returncode == 3
    assert "latitude analyze --incomplete result/trace" in said(done)[-1]
    assert not (open_mpi.directory / "result" / "report.html").exists()


def test_what_is_no_mpi_program_ends_with_status_2(open_mpi: Tracing) -> None:
    done = open_mpi.start(words("true"))
    assert done.returncode == 2
    assert said(done)[0].startswith("latitude: warning: ")
    assert not (open_mpi.directory / "result" / "report.html").exists()
