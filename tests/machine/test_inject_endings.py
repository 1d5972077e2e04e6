"""`latitude inject` of what goes wrong: the program unharmed, one clear line, counts kept."""

import pytest

from support.mpi.hindrances import (
    WITHOUT_MPI,
    on_a_small_disk,
    privileged_copy,
    sanitized_program,
    static_program,
)
from support.mpi.injecting import OF_A_BUSY_MACHINE, Injecting
from support.mpi.outcome import Done

FLOW = ("--flow", "20us", "--intra-node", "-o", "run")


def said(done: Done) -> list[str]:
    return [line for line in done.stderr.splitlines() if line.startswith("latitude:")]


def warned(done: Done) -> str:
    """But for delays that a busy machine made longer."""
    return "\n".join(
        line for line in said(done) if ": warning:" in line and OF_A_BUSY_MACHINE not in line
    )


def test_a_killed_rank_leaves_its_counts_and_its_status(injecting: Injecting) -> None:
    words = injecting.mpi.run(3, injecting.mpi.program("behave.c"), "killed")
    plain = injecting.start(words, injecting.through_ucx)
    done = injecting.start([*injecting.words(*FLOW), *words])
    assert done.returncode == plain.returncode != 0
    assert "processes ended early: killed, or crashed" in warned(done)
    processes = injecting.result()["processes"]
    assert [process["rank"] for process in processes] == [0, 1, 2]
    assert not processes[2]["ended"]
    assert processes[2]["runtime_ns"] is None
    assert all(process["delayed"] >= 10 for process in processes)


def test_mpi_abort_is_handed_on(injecting: Injecting) -> None:
    done = injecting.side("left", 2, injecting.mpi.program("behave.c"), "abort")
    assert done.returncode == 7
    assert len(injecting.result()["processes"]) == 2
    assert warned(done)


def test_exit_without_finalize_is_told(injecting: Injecting) -> None:
    """The status says nothing here: without us, too, MPICH's launcher says 0 or, at times, 1."""
    done = injecting.side("left", 2, injecting.mpi.program("behave.c"), "exit")
    assert "exited without MPI_Finalize: not timed" in warned(done)
    assert injecting.result()["delayed"] >= 20
    assert injecting.result()["runtime_ns"] is None


def test_a_program_that_forks_is_counted_once(injecting: Injecting) -> None:
    done = injecting.side("left", 2, injecting.mpi.program("behave.c"), "fork")
    assert done.returncode == 0, done.stderr
    assert warned(done) == ""
    processes = injecting.result()["processes"]
    assert [(process["rank"], process["ended"]) for process in processes] == [(0, True), (1, True)]


def test_a_rank_that_starts_another_mpi_program_keeps_its_counts(injecting: Injecting) -> None:
    """The child has its parent's rank in the environment, and must not take over its file."""
    mpi = injecting.mpi
    other = mpi.program("behave.c")
    # Without the variables that make it a rank of this run, it is one of its own.
    child = ["/usr/bin/env", *(f"-u{name}" for name in _CONNECTED), str(other)]
    done = injecting.side("left", 2, mpi.program("starts_another.c"), *child)
    assert done.returncode == 0, done.stderr
    ranks = [process["rank"] for process in injecting.result()["processes"]]
    assert sorted(ranks, key=str) == [0, 0, 1] or ranks == [0, 1, None]
    assert all(process["ended"] for process in injecting.result()["processes"])


_CONNECTED = (
    "PMI_FD",
    "PMI_RANK",
    "PMI_SIZE",
    "PMI_PORT",
    "PMI_ID",
    "PMIX_RANK",
    "PMIX_NAMESPACE",
    "PMIX_SERVER_URI21",
    "PMIX_SERVER_URI2",
    "PMIX_SERVER_URI3",
    "OMPI_MCA_ess_base_jobid",
    "OMPI_MCA_ess_base_vpid",
    "OMPI_MCA_orte_hnp_uri",
    "OMPI_MCA_orte_local_daemon_uri",
    "OMPI_MCA_ess",
    "OMPI_MCA_pmix",
)


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_program_without_mpi_runs_and_is_told_apart(
    open_mpi_injecting: Injecting, side: str
) -> None:
    done = open_mpi_injecting.side(side, 2, *WITHOUT_MPI)
    assert done.returncode == 5
    assert "hello" in done.stdout
    (line,) = said(done)
    assert line.startswith("latitude: warning: no message was delayed: the program opened neither")


def test_a_static_program_is_told_apart(open_mpi_injecting: Injecting) -> None:
    done = open_mpi_injecting.side("left", 1, static_program())
    assert done.returncode == 2
    (line,) = said(done)
    assert "static is statically linked, so no library can be preloaded into it" in line


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_program_under_a_sanitizer_is_delayed(injecting: Injecting, side: str) -> None:
    """The sanitizer's runtime is preloaded first, and only into the ranks."""
    program = sanitized_program(injecting.mpi.mpicc)
    words = injecting.words(*FLOW)
    ranks = (
        [*words, *injecting.mpi.run(2, program)]
        if side == "left"
        else injecting.mpi.run(2, *words, program)
    )
    done = injecting.start(ranks, {"ASAN_OPTIONS": "detect_leaks=0"})  # MPIs leak
    assert done.returncode == 0, done.stderr
    assert warned(done) == ""
    processes = injecting.result()["processes"]
    assert [process["rank"] for process in processes] == [0, 1]
    assert all(process["ended"] and process["delayed"] > 0 for process in processes)


def test_a_script_around_a_sanitizers_program_is_refused(open_mpi_injecting: Injecting) -> None:
    program = sanitized_program(open_mpi_injecting.mpi.mpicc)
    done = open_mpi_injecting.start([*open_mpi_injecting.words(*FLOW), "sh", "-c", f"{program}"])
    assert done.returncode == 2
    (line,) = said(done)
    assert "is built with a sanitizer (libasan.so" in line
    assert line.endswith("would be into sh, too; put latitude right before the program instead")


def test_a_privileged_program_is_told_apart(open_mpi_injecting: Injecting) -> None:
    program = privileged_copy(
        open_mpi_injecting.mpi.program("idle.c"), open_mpi_injecting.directory
    )
    done = open_mpi_injecting.start([*open_mpi_injecting.words(*FLOW), program])
    assert done.returncode == 2
    (line,) = said(done)
    assert "set-user-ID rights or capabilities, with which the loader ignores LD_PRELOAD" in line


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_directory_that_cannot_be_written_is_refused(
    open_mpi_injecting: Injecting, side: str
) -> None:
    (open_mpi_injecting.directory / "run").write_text("a file, not a directory")
    done = open_mpi_injecting.side(side, 2, open_mpi_injecting.mpi.program("behave.c"))
    assert done.returncode == 2
    assert said(done) == ["latitude: error: run: is a file; give a directory"]
    open_mpi_injecting.options += ["-o", "/proc/run"]
    done = open_mpi_injecting.side(side, 2, open_mpi_injecting.mpi.program("behave.c"))
    assert done.returncode == 2
    (line,) = said(done)
    assert line.startswith("latitude: error: /proc/run: cannot be written: ")


def test_a_directory_that_vanishes_costs_the_report_only(open_mpi_injecting: Injecting) -> None:
    """A node that does not share the directory lacks the table, too, so nothing is delayed."""
    program = open_mpi_injecting.mpi.program("behave.c")
    script = "rm -r run; exec " + " ".join(open_mpi_injecting.mpi.run(2, program))
    done = open_mpi_injecting.start([*open_mpi_injecting.words(*FLOW), "sh", "-c", script])
    assert done.returncode == 2, done.stderr
    not_reported, no_latency, verdict = said(done)
    assert "No such file or directory: what is injected is not reported" in not_reported
    assert "no latency is injected: " in no_latency
    assert verdict == (
        "latitude: error: nothing is known of what was delayed: the directory run was removed "
        "while the command ran; give one that stays"
    )


def test_a_full_disk_costs_the_report_only(open_mpi_injecting: Injecting) -> None:
    words = open_mpi_injecting.mpi.run(
        2, open_mpi_injecting.mpi.program("traffic.c", "-pthread"), "any_source", 100
    )
    done = open_mpi_injecting.start(
        on_a_small_disk([*open_mpi_injecting.words(*FLOW), *words], open_mpi_injecting.directory)
    )
    assert "right" in done.stdout
    assert done.returncode == 2
    not_reported, verdict = said(done)
    assert "No space left on device: what is injected is not reported" in not_reported
    assert "the file system of run is full, so nothing was counted" in verdict


def test_a_command_that_is_not_there_is_wrong_use(open_mpi_injecting: Injecting) -> None:
    done = open_mpi_injecting.start([*open_mpi_injecting.words(*FLOW), "no-such-program"])
    assert done.returncode == 2
    assert said(done) == [
        "latitude: error: no-such-program: cannot be started: No such file or directory"
    ]
