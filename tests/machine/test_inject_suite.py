"""mpi4py's own tests under injection: point-to-point, collectives, communicators, requests."""

import re

from support.mpi.injecting import Injecting
from support.needed import need
from support.paths import ROOT

_UNPACKED = ROOT / "build" / "mpi4py-tests"
PYTHON = "/usr/bin/python3"
FILES = (
    *("test_attributes", "test_cco_buf", "test_cco_nb_vec", "test_cco_ngh_obj", "test_cco_obj"),
    *("test_comm", "test_p2p", "test_util_pkl5"),
)
"""The beginnings of names: those whose ranks send messages, and of each kind of call either the
blocking or the other form. A busy machine takes milliseconds for a message: all would take minutes.
"""


def test_what_mpi4py_tests_holds_under_latency(open_mpi_injecting: Injecting) -> None:
    """The distribution's mpi4py, which is built for Open MPI."""
    found = sorted(_UNPACKED.glob("*/test/runtests.py"))
    need("mpi4py's tests", there=bool(found), script="need-mpi4py-tests.sh")
    included = (word for name in FILES for word in ("-i", name))
    done = open_mpi_injecting.flow(
        "lognormal(p50=20us,p99=500us)",
        2,
        *(PYTHON, found[-1], "--no-threads", "-q", *included),
    )
    tests = [int(count) for count in re.findall(r"Ran (\d+) tests", done.stderr)]
    assert len(tests) == 2
    assert min(tests) > 500
    assert done.stderr.count("OK") == 2  # on any line: the launcher may join those of ranks
    assert "FAILED" not in done.stderr
    result = open_mpi_injecting.result()
    assert result["delayed"] > 25_000
    assert all(process["ended"] for process in result["processes"])
