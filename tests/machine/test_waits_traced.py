"""Scalasca's textbook cases, traced for real: who waits, why, and for whom, is known by
construction.

Computation is processor time, and the trace's computation too: a busy machine changes nothing.
"""

import json
from typing import Any

import pytest

from support.command import Run
from support.mpi.library import PROGRAMS
from support.mpi.tracing import Tracing

MS = 40
LEAST_NS = 30e6
"""The others compute too: their few instructions between calls."""

Rows = list[dict[str, Any]]


def line_with(text: str) -> str:
    """The first line of the program that has it."""
    lines = (PROGRAMS / "waits.c").read_text(encoding="utf-8").splitlines()
    return f"waits.c:{1 + next(i for i, line in enumerate(lines) if text in line)}"


def waits_of(latitude: Run, tracing: Tracing, case: str) -> dict[str, Rows]:
    tracing.options += ["--clock", "cpu"]
    done = tracing.left(3, tracing.mpi.program("waits.c"), case, MS)
    assert done.returncode == 0, done.stderr
    done = latitude("analyze", tracing.run, "--json", "-")
    assert done.returncode == 0, done.stderr
    found: dict[str, Rows] = json.loads(done.stdout)["waits"]
    for row in found["by_rank"]:
        parts = sum(ns for key, ns in row.items() if key.endswith("_ns"))
        others = row["end_ns"] + row["direct_ns"] + row["indirect_ns"]
        assert parts - others == pytest.approx(row["end_ns"], abs=0.5)
    return found


@pytest.mark.parametrize(
    ("case", "waiting", "late", "at", "call"),
    [
        pytest.param(
            "late_sender", {1, 2}, {0}, "MPI_Recv", "MPI_Send", marks=pytest.mark.essential
        ),
        ("wrong_order", {0}, {1}, "MPI_Waitall", "MPI_Send"),
        pytest.param(
            "late_receiver", {0}, {1}, "MPI_Ssend", "MPI_Recv", marks=pytest.mark.essential
        ),
        ("barrier", {0, 1}, {2}, "MPI_Barrier", "MPI_Barrier"),
        pytest.param(
            "n_to_n", {0, 2}, {1}, "MPI_Allreduce", "MPI_Allreduce", marks=pytest.mark.essential
        ),
        ("early_reduce", {0}, {1, 2}, "MPI_Reduce", "MPI_Reduce"),
        ("late_broadcast", {1, 2}, {0}, "MPI_Bcast", "MPI_Bcast"),
        ("early_scan", {1, 2}, {0}, "MPI_Scan", "MPI_Scan"),
    ],
)
def test_who_waits_why_and_for_whom(
    latitude: Run,
    tracing: Tracing,
    case: str,
    waiting: set[int],
    late: set[int],
    at: str,
    call: str,
) -> None:
    found = waits_of(latitude, tracing, case)
    long = [row for row in found["times"] if row["ns"] > LEAST_NS]
    computing = {row["rank"] for row in long if row["what"] == "computation"}
    assert computing == late
    waits = [row for row in long if row["what"] != "computation"]
    assert {(row["rank"], row["what"], row["call"]) for row in waits} == {
        (rank, case, at) for rank in waiting
    }
    assert all(row["where"].startswith("waits.c:") for row in waits)

    delays = [row for row in found["delays"] if row["direct_ns"] > LEAST_NS]
    assert {row["rank"] for row in delays} <= late
    assert {(row["call"], row["activity"]) for row in delays} == {(call, "computation")}
    total = sum(row["direct_ns"] + row["indirect_ns"] for row in found["delays"])
    assert total == pytest.approx(
        sum(row["ns"] for row in found["times"] if row["what"] in WAITS), abs=0.5
    )
    between = {
        (row["delaying"], row["waiting"])
        for row in found["between_ranks"]
        if row["direct_ns"] + row["indirect_ns"] > LEAST_NS
    }
    assert {who for _, who in between} == waiting
    assert {by for by, _ in between} <= late


WAITS = {
    "late_sender", "wrong_order", "late_receiver", "early_reduce", "early_scan", "late_broadcast",
    "n_to_n", "barrier", "completion",
}  # fmt: skip


def test_who_waits_in_a_wait_is_there_and_its_message_was_posted_elsewhere(
    latitude: Run, tracing: Tracing
) -> None:
    found = waits_of(latitude, tracing, "wrong_order")
    (wait,) = (row for row in found["times"] if row["what"] == "wrong_order")
    assert wait["ns"] > LEAST_NS
    names = ("call", "where", "posted_call", "posted_where")
    assert [wait[name] for name in names] == [
        "MPI_Waitall",
        line_with("MPI_Waitall("),
        "MPI_Irecv",
        line_with("MPI_Irecv("),
    ]


def test_a_late_sender_delays_others_through_one_that_waits(
    latitude: Run, tracing: Tracing
) -> None:
    found = waits_of(latitude, tracing, "late_sender")
    between = {(row["delaying"], row["waiting"]): row for row in found["between_ranks"]}
    assert between[0, 1]["direct_ns"] > LEAST_NS
    assert between[0, 1]["indirect_ns"] == 0
    assert between[0, 2]["indirect_ns"] > LEAST_NS
    assert between[0, 2]["direct_ns"] == 0
