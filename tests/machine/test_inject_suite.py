"""mpi4py's own tests under injection: point-to-point, collectives, communicators, requests."""

import re

from support.mpi.injecting import Injecting
from support.needed import need
from support.paths import ROOT

_UNPACKED = ROOT / "build" / "mpi4py-tests"
PYTHON = "/usr/bin/python3"
# Files, windows of memory, and processes started by MPI, which are no messages between ranks.
OTHERS = ("test_io", "test_rma", "test_win", "test_spawn", "test_dynproc")


def test_what_mpi4py_tests_holds_under_latency(open_mpi_injecting: Injecting) -> None:
    """The distribution's mpi4py, which is built for Open MPI."""
    found = sorted(_UNPACKED.glob("*/test/runtests.py"))
    need("mpi4py's tests", there=bool(found), script="need-mpi4py-tests.sh")
    excluded = (word for name in OTHERS for word in ("-e", name))
    done = open_mpi_injecting.flow(
        "lognormal(p50=20us,p99=500us)",
        2,
        *(PYTHON, found[-1], "--no-threads", "-q", *excluded),
    )
    tests = [int(count) for count in re.findall(r"Ran (\d+) tests", done.stderr)]
    assert len(tests) == 2
    assert min(tests) > 1000
    assert done.stderr.count("OK") == 2  # on any line: the launcher may join those of ranks
    assert "FAILED" not in done.stderr
    result = open_mpi_injecting.result()
    assert result["delayed"] > 100_000
    assert all(process["ended"] for process in result["processes"])
