"""`latitude inject` left and right of the launcher, also under Slurm; and on some ranks only."""

import re

import pytest

from support.mpi.injecting import OF_A_BUSY_MACHINE, Injecting

SIDES = pytest.mark.parametrize("side", ["left", "right"])


@SIDES
def test_both_sides_of_the_launcher_delay_every_rank(injecting: Injecting, side: str) -> None:
    done = injecting.side(side, 3, injecting.mpi.program("behave.c"))
    assert done.returncode == 0, done.stderr
    first, *more = (line for line in done.stderr.splitlines() if line.startswith("latitude:"))
    assert all(OF_A_BUSY_MACHINE in line for line in more)
    assert re.fullmatch(r"latitude: 3 ranks, [\d,]+ messages delayed \(tcp\)", first)
    result = injecting.result()
    assert [each["rank"] for each in result["processes"]] == [0, 1, 2]
    assert all(each["delayed"] >= 10 for each in result["processes"])
    assert all(each["ended"] for each in result["processes"])


@SIDES
def test_results_are_replaced_only_with_force(open_mpi_injecting: Injecting, side: str) -> None:
    program = open_mpi_injecting.mpi.program("behave.c")
    assert open_mpi_injecting.side("left", 3, program).returncode == 0
    refused = open_mpi_injecting.side(side, 2, program)
    assert refused.returncode == 2
    assert refused.stderr.count("latitude: error: run: holds the results of a run already") == 1
    open_mpi_injecting.options.append("--force")
    done = open_mpi_injecting.side(side, 2, program)
    assert done.returncode == 0, done.stderr
    assert len(open_mpi_injecting.result()["processes"]) == 2
    names = sorted(path.name for path in (open_mpi_injecting.directory / "run").glob("*.inj"))
    assert names == ["rank-0000000.inj", "rank-0000001.inj"]


@pytest.mark.parametrize("status", [0, 3])
def test_right_of_the_launcher_status_and_stdin_are_the_programs(
    open_mpi_injecting: Injecting, status: int
) -> None:
    words = open_mpi_injecting.words("--flow", "20us", "--intra-node", "-o", "run")
    how = "echo" if status == 0 else "status"
    command = open_mpi_injecting.mpi.run(2, *words, open_mpi_injecting.mpi.program("behave.c"), how)
    done = open_mpi_injecting.start(command, input="told\n")
    assert done.returncode == status, done.stderr
    assert done.stdout.startswith("told\n" if status == 0 else "")
    if status == 0:  # else the launcher may end rank 0 before its program says 3 itself
        assert open_mpi_injecting.result()["exit_status"] == 0


@SIDES
def test_srun_delays_every_rank(injecting: Injecting, slurm: dict[str, str], side: str) -> None:
    words = injecting.words("--flow", "20us", "--intra-node", "-o", "run")
    program, srun = injecting.mpi.program("behave.c"), injecting.mpi.srun(4)
    command = [*words, *srun, program] if side == "left" else [*srun, *words, program]
    done = injecting.start(command, slurm)
    assert done.returncode == 0, done.stderr
    result = injecting.result()
    assert [each["rank"] for each in result["processes"]] == [0, 1, 2, 3]
    assert all(each["delayed"] >= 10 for each in result["processes"])


@pytest.mark.parametrize("first", [True, False], ids=["with first", "without first"])
def test_a_rank_without_the_injector_is_found_before_a_message_goes_wrong(
    injecting: Injecting, first: bool
) -> None:
    program = injecting.mpi.program("traffic.c", "-pthread")
    under = [*injecting.words("--flow", "20us", "--intra-node", "-o", "run"), program, "any_source"]
    parts = [[*under, "100"], [program, "any_source", "100"]]
    one, other = parts if first else reversed(parts)
    command = injecting.mpi.run(1, *one, ":", "-n", "1", *other)
    done = injecting.start(command, injecting.through_ucx)
    assert done.returncode != 0
    assert "right" not in done.stdout
    (line,) = (line for line in done.stderr.splitlines() if "latitude:" in line)
    assert line.startswith("latitude: error: some ranks run without the injector")
