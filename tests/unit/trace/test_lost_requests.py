"""liballprof's C version: sends and copies of requests that no recorded call completes by address.

Graphs and warnings. The C++ tests say what is accepted (lost_requests_test.cpp).
"""

from pathlib import Path

import pytest

import latitude
from support.arrivals_oracle import Call, write_liballprof

EAGER = latitude.Network(L=3000.0, o=400.0, G=0.05, S=1_000_000)
RENDEZVOUS = latitude.Network(L=3000.0, o=400.0, G=0.05, S=10)
COPIES = 100


def _analysed(
    folder: Path, programs: list[list[Call]], network: latitude.Network
) -> latitude.Analysis:
    return latitude.analyze(latitude.load(write_liballprof(folder, programs)), network)


def _exchange(*completing: Call) -> list[list[Call]]:
    """Both ranks send and receive, compute, and complete both requests in this way."""
    return [
        [
            Call("Irecv", 1000 * rank, 1 - rank, 0, 100, 0),
            Call("Isend", 0, 1 - rank, 0, 100, 0 if completing[-1].request >= COPIES else 1),
            *completing,
            Call("Send" if rank == 0 else "Recv", 10, 1 - rank, 7, 8),
        ]
        for rank in (0, 1)
    ]


@pytest.mark.parametrize("network", [EAGER, RENDEZVOUS])
def test_a_wait_over_copies_is_a_wait(tmp_path: Path, network: latitude.Network) -> None:
    in_place = _exchange(Call("Waitall", 5000, request=0, count=2))
    copies = _exchange(Call("Waitall", 5000, request=COPIES, count=2))
    expected = _analysed(tmp_path / "in place", in_place, network)
    found = _analysed(tmp_path / "copies", copies, network)
    assert found.baseline == expected.baseline
    codes = {each.code for each in found.warnings} - {each.code for each in expected.warnings}
    assert codes == {"copied-requests"}
    [warning] = [each for each in found.warnings if each.code == "copied-requests"]
    assert warning.message.startswith("4 requests were completed through copies")


def test_nothing_waits_for_a_send_that_a_test_completed(tmp_path: Path) -> None:
    """Its receiver is late, also in a rendezvous. Rank 0 goes on and sends to rank 2."""
    programs = [
        [Call("Isend", 0, 1, 0, 100), Call("Isend", 50, 1, 1, 100), Call("Send", 1000, 2, 2, 8)],
        [Call("Send", 0, 2, 3, 8), Call("Recv", 20_000, 0, 0, 100), Call("Recv", 0, 0, 1, 100)],
        [Call("Recv", 0, 0, 2, 8), Call("Recv", 60_000, 1, 3, 8)],
    ]
    for network in (EAGER, RENDEZVOUS):
        found = _analysed(tmp_path / "run", programs, network)
        sent = 3 * network.o + 1050 + network.L + 7 * network.G
        assert found.baseline.T_ns == pytest.approx(sent + network.o + 60_000 + network.o)
        [warning] = [each for each in found.warnings if each.code == "never-completed"]
        assert "no call completes 2 sends" in warning.message
