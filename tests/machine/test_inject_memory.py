"""The injector's memory in a real run, as valgrind sees it: nothing lost, nothing misread.

The MPIs and UCX have losses of their own, and MPI_Init is a function of ours on every stack: what
counts is who allocated or touched the memory.
"""

import re

import pytest

from support.mpi.injecting import Injecting
from support.needed import needed

_FRAME = re.compile(r"(?:at|by) 0x[0-9A-F]+: (?P<what>.*)")
_REPLACED = "vgpreload"
"""Part of the name of the object with valgrind's malloc and memcpy."""


def ours(log: str) -> list[str]:
    """The records whose innermost function, valgrind's own aside, is the injector's."""
    found = []
    for record in re.split(r"(?m)^==\d+== *$", log):
        frames = [match["what"] for match in _FRAME.finditer(record)]
        called = next((frame for frame in frames if _REPLACED not in frame), "")
        if "libinject.so" in called:
            found.append(record)
    return found


LOST = """\
==7== 96 bytes in 1 blocks are definitely lost in loss record 3 of 9
==7==    at 0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)
==7==    by 0x4833A21: {called} (in {library})
==7==    by 0x4834B11: MPI_Init (in /c/libinject.so)
==7==
"""


@pytest.mark.parametrize(
    ("called", "library", "count"),
    [("lat_receive", "/c/libinject.so", 1), ("ucs_malloc", "/usr/lib/libucs.so.0", 0)],
)
def test_a_loss_is_who_allocated_it(called: str, library: str, count: int) -> None:
    assert len(ours(LOST.format(called=called, library=library))) == count


def test_nothing_of_the_injectors_is_lost_or_misread(injecting: Injecting) -> None:
    needed("valgrind", "need-valgrind.sh")
    program = injecting.mpi.program("traffic.c", "-pthread")
    checked = ("valgrind", "--leak-check=full", "--num-callers=30", "--log-file=log.%p")
    done = injecting.flow("lognormal(p50=50us,p99=2ms)", 2, *checked, program, "rendezvous", 1)
    assert done.stdout == "right\n"
    logs = [path.read_text() for path in injecting.directory.glob("log.*")]
    logs = [log for log in logs if "traffic" in log]
    assert len(logs) == 2
    for log in logs:
        assert "LEAK SUMMARY" in log
        assert not ours(log), "".join(ours(log))
