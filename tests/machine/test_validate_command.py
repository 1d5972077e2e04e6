"""`latitude validate`: real programs that wait on the clock, both MPIs; resuming; failures."""

import os
import signal
import time
from typing import Any

import pytest

from support.command import begun
from support.hanging import HANG_S
from support.mpi.injecting import OVER_TCP, Injecting
from support.mpi.outcome import Done, ended_with
from support.paths import EXAMPLE_PROGRAMS, EXAMPLES
from support.schemas import document

HALO = ("--iterations", "20", "--compute", "4ms", "--bytes", "1024")
NETWORK = ("--L", "15us", "--o", "2us", "--G", "0.6ns", "--S", "8KiB", "--rendezvous", "put")
ONE_TRACE = ("--traces", "1")


def validated(injecting: Injecting, *words: object, status: int = 0, places: bool = False) -> Done:
    start = [*injecting.words()[:3], "validate", "--intra-node", "--traces", "1", "-o", "v"]
    start += [] if places else ["--only-delta"]
    start += map(str, words)
    done = injecting.start(start)
    return ended_with(status, done)


def result(injecting: Injecting) -> dict[str, Any]:
    text = (injecting.directory / "v" / "validation.json").read_text(encoding="utf-8")
    return document(text)


def test_a_validation_is_of_runs_a_model_and_their_difference(injecting: Injecting) -> None:
    """And another model, or a replayed trace, makes no run anew."""
    halo = injecting.mpi.program(EXAMPLE_PROGRAMS / "halo.c")
    command = ["--delta", "0:8ms:3", "--repetitions", "2", "--", *injecting.mpi.run(4, halo, *HALO)]
    validated(injecting, *NETWORK, *ONE_TRACE, *command)
    found = result(injecting)
    assert [level["delta_L_ns"] for level in found["levels"]] == [0, 4_000_000, 8_000_000]
    assert [len(level["measured_ns"]) for level in found["levels"]] == [2, 2, 2]
    assert found["model"]["collectives"] == f"by the rules of {injecting.mpi.name}"
    # In each iteration the ranks wait 4 ms, and for a message: no run takes less, whatever else.
    # Predicted is what was injected beyond ΔL = 0, where a busy machine delays messages, too.
    for level in found["levels"]:
        assert min(level["measured_ns"]) >= 20 * (4e6 + level["delta_L_ns"])
        assert level["predicted_ns"] >= 20 * (4e6 + level["injected_delta_L_ns"])
    errors = [
        level["predicted_ns"] / (sum(level["measured_ns"]) / 2) - 1 for level in found["levels"]
    ]
    assert found["rrmse"] == pytest.approx((sum(e * e for e in errors) / 3) ** 0.5, rel=1e-6)
    assert (injecting.directory / "v" / "report.html").stat().st_size > 10_000
    rows = (injecting.directory / "v" / "validation.csv").read_text().splitlines()
    assert len(rows) == 1 + 6

    # The same runs, the traced one replayed: T(0) is what that took, and nothing is run.
    again = validated(injecting, *NETWORK, *ONE_TRACE, "--replay", *command)
    assert again.stderr == ""
    with_replay = result(injecting)
    codes = {warning["code"] for warning in with_replay["warnings"]}
    if "replay-refused" in codes:  # on a busy machine the traced run may have been another
        assert with_replay["model_alone"] is None
        assert with_replay["rrmse"] == found["rrmse"]
    else:
        assert "replayed" in codes
        assert with_replay["model_alone"]["rrmse"] == found["rrmse"]
    assert found["model_alone"] is None

    # A trace that there is, in another format: nothing is traced, and the same is predicted.
    text = injecting.directory / "text"
    injecting.start([*injecting.words()[:3], "convert", "--clock", "wall", "v/trace-1", str(text)])
    given = validated(injecting, *NETWORK, "--trace", text, *command)
    assert given.stderr == ""  # nothing was run
    from_text = result(injecting)
    assert from_text["trace"]["format"] == "liballprof"
    for level, same in zip(from_text["levels"], found["levels"], strict=True):
        assert level["predicted_ns"] == pytest.approx(same["predicted_ns"], rel=1e-9)
        assert level["measured_ns"] == same["measured_ns"]
    said = validated(injecting, *NETWORK, "--trace", text, "--replay", *command, status=2).stderr
    assert "leave out --replay or --trace" in said
    other = ["--trace", EXAMPLES / "two-ranks.goal", *command]
    said = validated(injecting, *NETWORK, *other, status=2).stderr
    assert "two-ranks.goal has 2 ranks, and the command ran with 4" in said

    # Another L: only the prediction changes.
    again = validated(injecting, "--L", "1s", *NETWORK[2:], "--at-most", "10%", *command, status=1)
    assert again.stderr == ""  # nothing was run
    wrong = result(injecting)
    assert wrong["rrmse"] > found["rrmse"]
    measured = [[level["measured_ns"] for level in each["levels"]] for each in (wrong, found)]
    assert measured[0] == measured[1]


def test_runs_are_made_around_predicted_tolerances(open_mpi_injecting: Injecting) -> None:
    """80 ms of waiting, and 20 latencies beside: 5 % are some 200 µs. Only the figures that a
    machine at any load keeps: where runs were made, how many, and what they say of each other."""
    halo = open_mpi_injecting.mpi.program(EXAMPLE_PROGRAMS / "halo.c")
    command = ["--delta", "0,8ms", "--repetitions", "3", "--tolerance", "5%,10%"]
    command += ["--", *open_mpi_injecting.mpi.run(2, halo, *HALO)]
    done = validated(open_mpi_injecting, *NETWORK, *command, places=True)
    found = result(open_mpi_injecting)
    levels = {level["delta_L_ns"]: level for level in found["levels"]}
    assert {delta for delta, level in levels.items() if not level["placed"]} == {0, 8_000_000}
    for pair in found["tolerance"]:
        predicted = pair["predicted_delta_L_ns"]
        for place in (0.5, 1, 2):
            assert any(abs(delta - place * predicted) <= 0.11 * delta for delta in levels)
        if pair["measured_delta_L_ns"] is not None:
            assert 0 < pair["below_ns"] <= pair["measured_delta_L_ns"] <= pair["above_ns"]
    assert {len(level["measured_ns"]) for level in levels.values()} == {3}
    assert all(level["injected_delta_L_ns"] >= 0 for level in levels.values())
    # No number but those asked for is in the RRMSE.
    errors = [level["error"] for level in levels.values() if not level["placed"]]
    assert found["rrmse"] == pytest.approx((sum(e * e for e in errors) / 2) ** 0.5, rel=1e-6)
    assert "90 % interval" in done.stdout
    # Another network predicts other tolerances, and makes no run.
    again = validated(open_mpi_injecting, "--L", "1ms", *NETWORK[2:], *command, places=True)
    assert again.stderr == ""
    assert {level["delta_L_ns"] for level in result(open_mpi_injecting)["levels"]} == set(levels)


def test_every_run_has_the_latency_of_the_emulated_network(open_mpi_injecting: Injecting) -> None:
    """An iteration waits 4 ms for itself and 4 ms for a message: never less."""
    halo = open_mpi_injecting.mpi.program(EXAMPLE_PROGRAMS / "halo.c")
    words = ["--base", "4ms", "--delta", "0,4ms", "--repetitions", "1", "--"]
    words += [*open_mpi_injecting.mpi.run(2, halo, *HALO)]
    done = validated(open_mpi_injecting, *NETWORK, *words)
    found = result(open_mpi_injecting)
    assert found["base_L_ns"] == 4_000_000
    assert "L is 4 ms more in every run, ΔL = 0 and traces included" in done.stdout
    for level in found["levels"]:
        assert min(level["measured_ns"]) >= 20 * (8e6 + level["delta_L_ns"])
        assert level["predicted_ns"] >= 20 * (8e6 + level["injected_delta_L_ns"])
    # How often the run waits that was traced where its messages come later: tests/timing.
    there = found["traced_there"]
    assert (there["delta_L_ns"], there["traces"]) == (4_000_000, 1)
    assert there["predicted_ns"] >= 20 * (8e6 + found["levels"][1]["injected_delta_L_ns"])
    assert there["lambda_L"] > 0
    assert there["at_zero_lambda_L"] == found["levels"][1]["lambda_L"]
    assert there["at_zero_predicted_ns"] == found["levels"][1]["predicted_ns"]
    assert "T at ΔL = 4 ms, traced there" in done.stdout


def test_it_goes_on_where_it_was(open_mpi_injecting: Injecting) -> None:
    halo = open_mpi_injecting.mpi.program(EXAMPLE_PROGRAMS / "halo.c")
    launch = open_mpi_injecting.mpi.run(2, halo, "--iterations", "3", "--compute", "1ms")
    validated(open_mpi_injecting, *NETWORK, "--delta", "0", "--repetitions", "1", "--", *launch)
    first = result(open_mpi_injecting)["levels"][0]["measured_ns"]
    done = validated(
        open_mpi_injecting, *NETWORK, "--delta", "0,1ms", "--repetitions", "2", "--", *launch
    )
    # 4 runs and 2 traces, less the trace and the run at ΔL = 0 that were made before.
    assert len(done.stderr.splitlines()) == 4
    assert "trace 1 at ΔL = 1 ms" in done.stderr
    levels = result(open_mpi_injecting)["levels"]
    assert [len(level["measured_ns"]) for level in levels] == [2, 2]
    assert levels[0]["measured_ns"][:1] == first
    other = validated(open_mpi_injecting, "--", *launch[:-1], "2ms", status=2)
    assert "holds the validation of another command" in other.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_is_no_failed_one(
    open_mpi_injecting: Injecting, number: signal.Signals
) -> None:
    halo = open_mpi_injecting.mpi.program(EXAMPLE_PROGRAMS / "halo.c")
    launch = open_mpi_injecting.mpi.run(2, halo, "--iterations", "200", "--compute", "20ms")
    words = [*open_mpi_injecting.words()[:3], "validate", "--intra-node", "-o", "v", *NETWORK]
    # Without runs around tolerances, which come in any order: the first is that at ΔL = 0.
    words += ["--only-delta", "--traces", "1", "--delta", "0", "--repetitions", "2"]
    process = begun(
        [*words, "--", *launch],
        {**open_mpi_injecting.mpi.environment, **OVER_TCP},
        open_mpi_injecting.directory,
        start_new_session=True,
    )
    run = open_mpi_injecting.directory / "v" / "runs" / "0ns-1"
    end = time.monotonic() + HANG_S
    while not list(run.glob("inject/*.inj")) and time.monotonic() < end:
        time.sleep(0.1)
    os.killpg(process.pid, number)  # the launcher gets it, too, and ends with a status of its own
    _, said = process.communicate(timeout=HANG_S)
    assert process.returncode == 130
    assert said.splitlines()[-1].endswith("the same command goes on")
    assert not run.with_suffix(".parquet").exists()


def test_what_cannot_be_delayed_ends_before_it_is_traced(open_mpi_injecting: Injecting) -> None:
    """Left alone, Open MPI moves messages within a node by itself; the program would print."""
    program = open_mpi_injecting.mpi.program("traffic.c", "-pthread")
    launch = open_mpi_injecting.mpi.run(2, program, "any_source", 10)
    words = [*open_mpi_injecting.words()[:3], "validate", *NETWORK, "--traces", "1", "-o", "v"]
    done = ended_with(2, open_mpi_injecting.start([*words, "--", *launch]))
    line = done.stderr.splitlines()[-1]
    assert "no message can be delayed, so the program was ended: Open MPI used btl_" in line
    assert "pml_ob1" in line
    assert "or pass --intra-node; see v/runs/trace-1/output.txt" in line
    assert (open_mpi_injecting.directory / "v/runs/trace-1/output.txt").read_text() == ""


def test_failed_runs_are_named(open_mpi_injecting: Injecting) -> None:
    halo = open_mpi_injecting.mpi.program(EXAMPLE_PROGRAMS / "halo.c")
    script = open_mpi_injecting.directory / "traced-only.sh"
    script.write_text('#!/bin/sh\n[ -z "$LATITUDE_TRACE_DIR" ] && exit 7\nexec "$@"\n')
    script.chmod(0o755)
    program = [script, halo, "--iterations", "2", "--compute", "1ms"]
    words = [*NETWORK, "--delta", "0,1ms", "--repetitions", "1"]
    words += ["--", *open_mpi_injecting.mpi.run(2, *program)]
    done = validated(open_mpi_injecting, *words, status=2)
    assert "exit status 7" in done.stdout
    failed = sorted(result(open_mpi_injecting)["failures"], key=lambda run: run["delta_L_ns"])
    assert [run["exit_status"] for run in failed] == [7, 7]
    assert failed[1]["output"] == "v/runs/1000000ns-1/output.txt"
    assert done.stderr.splitlines()[-1].startswith("latitude: error: every run failed")


def test_a_program_that_cannot_be_traced_is_an_error(open_mpi_injecting: Injecting) -> None:
    behave = open_mpi_injecting.mpi.program("behave.c")
    launch = open_mpi_injecting.mpi.run(2, behave, "status")
    line = validated(open_mpi_injecting, *NETWORK, "--", *launch, status=2).stderr.splitlines()[-1]
    assert line.startswith("latitude: error: trace 1: exit status 3")
    assert line.endswith("; see v/runs/trace-1/output.txt")
