"""`latitude inject`: statuses, what it says, what it leaves, and what it refuses."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from latitude.distributions.specification import parse_table
from latitude.distributions.table import write_table
from support.mpi.injecting import Injecting


@pytest.mark.essential
def test_the_report_sets_achieved_against_asked(injecting: Injecting) -> None:
    table = injecting.directory / "t.dist"
    write_table(parse_table("lognormal(p50=100us,p99=400us)"), table, seed=7)
    program = injecting.mpi.program("traffic.c", "-pthread")
    done = injecting.flow(str(table), 2, program, "any_source", 2000)
    assert "right" in done.stdout
    said = done.stderr.splitlines()
    assert re.match(r"latitude: 2 ranks, [\d,]+ messages delayed \(tcp\)", said[0])
    assert said[2].split()[0] == "asked"
    assert said[3].split()[0] == "achieved"
    result = injecting.result()
    assert result["seed"] == 7
    assert [process["rank"] for process in result["processes"]] == [0, 1]
    histogram = result["histogram"]
    assert sum(histogram["asked"]) == sum(histogram["achieved"]) == result["delayed"]
    # 2,000 and more draws: the median's standard error is about 2 %.
    assert result["asked"]["p50_ns"] == pytest.approx(100_000, rel=0.1)


@pytest.mark.essential
def test_runs_repeat(injecting: Injecting) -> None:
    program = injecting.mpi.program("traffic.c", "-pthread")
    asked = []
    for seed in (5, 5, 6):
        words = injecting.words(
            "--flow", "uniform(loc=10us,scale=90us)", "--seed", seed, "--intra-node", "--force"
        )
        done = injecting.start([*words, *injecting.mpi.run(2, program, "any_source", 300)])
        assert done.returncode == 0, done.stderr
        path = injecting.directory / "latitude-inject" / "inject.json"
        sender = json.loads(path.read_text())["processes"][0]  # counts what it receives
        asked.append((sender["delayed"], sender["asked_mean_ns"]))
    assert asked[0] == asked[1]
    assert asked[0] != asked[2]


def test_status_and_streams_are_the_programs(injecting: Injecting) -> None:
    program = injecting.mpi.program("behave.c")
    words = injecting.words("--flow", "10us", "--intra-node")
    done = injecting.start([*words, *injecting.mpi.run(2, program, "status")])
    assert done.returncode == 3


@pytest.mark.parametrize("transports", ["posix,self", "posix,tcp,self"])
def test_what_cannot_be_delayed_is_ended_first_and_told_with_the_remedy(
    injecting: Injecting, transports: str
) -> None:
    program = injecting.mpi.program("traffic.c", "-pthread")
    words = injecting.words("--flow", "10us")
    launch = injecting.mpi.run(2, program, "any_source", 10)
    memory = {"UCX_TLS": transports}
    done = injecting.start([*words, *launch], memory)
    line = done.stderr.splitlines()[-1]
    assert done.returncode == 2, done.stderr
    assert line.startswith("latitude: error: no message can be delayed, so the program was ended: ")
    assert "--intra-node" in line
    assert ("pml_ob1" in line) == (injecting.mpi.name == "openmpi")
    assert "right" not in done.stdout

    words = injecting.words("--flow", "10us", "--go-on", "--force")
    done = injecting.start([*words, *launch], memory)
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-1].startswith("latitude: error: no message was delayed: ")
    assert "right" in done.stdout


def test_a_program_without_mpi_is_unharmed(injecting: Injecting) -> None:
    done = injecting.start([*injecting.words("--flow", "10us"), "sh", "-c", "echo fine; (exit 5)"])
    assert done.stdout == "fine\n"
    assert done.returncode == 5
    assert "no message was delayed" in done.stderr


def test_a_table_that_vanishes_turns_the_delays_off(injecting: Injecting) -> None:
    gone = "rm run/table.dist; exec " + " ".join(
        injecting.mpi.run(2, injecting.mpi.program("traffic.c", "-pthread"), "any_source", 100)
    )
    words = injecting.words("--flow", "10us", "--intra-node", "-o", "run")
    done = injecting.start([*words, "sh", "-c", gone])
    assert done.stdout.splitlines()[-1] == "right"
    assert done.returncode == 2
    assert done.stderr.count("warning: no latency is injected") == 1


def test_results_are_kept_unless_forced(injecting: Injecting) -> None:
    command = injecting.mpi.run(2, injecting.mpi.program("behave.c"))
    injecting.flow("10us", 2, injecting.mpi.program("behave.c"))
    done = injecting.start([*injecting.words("--flow", "10us", "-o", "run"), *command])
    assert done.returncode == 2
    error = "latitude: error: run: holds the results of a run already; pass --force"
    assert done.stderr.startswith(error)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--flow", "10us"], "no command; write e.g."),
        (["--flow", "10", "--", "ls"], "'10' has no unit"),
        (["--flow", "none.dist", "--", "ls"], "none.dist: no such file"),
        (["--flow", "10us", "--seed", "x", "--", "ls"], "'x' is not a seed"),
        (["--", "ls"], "is required"),
    ],
)
def test_wrong_options_are_refused(
    refused: Callable[..., str], tmp_path: Path, options: list[str], message: str
) -> None:
    assert message in refused("inject", *options, cwd=tmp_path)
    assert not list(tmp_path.iterdir())
