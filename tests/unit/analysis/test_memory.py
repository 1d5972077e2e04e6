"""Memory that an analysis takes and gives back, which no load of the machine changes."""

from pathlib import Path

import pytest

from support.all_to_all import write_all_to_all
from support.command import python

BYTES_PER_MESSAGE = 250
"""One MPI_Alltoall of 4,096 ranks, 16.8 million messages, fits into 4 GiB."""

REPEATED = """
import sys
import latitude
from support.peak import peak_bytes

def analyze(times):
    for _ in range(times):
        latitude.analyze(latitude.load(sys.argv[1]))
    return peak_bytes()

before = analyze(10)
print(analyze(100) - before)
"""
HELD_AT_THE_END = """
import sys, threading
import latitude

result = latitude.analyze(latitude.load(sys.argv[1]))
for_ever = threading.Event()
threading.Thread(target=lambda result: for_ever.wait(), args=(result,), daemon=True).start()
del result
print("ended")
"""


@pytest.mark.thorough
def test_an_alltoall_of_many_ranks_takes_little_memory_per_message(tmp_path: Path) -> None:
    few, many = 1024, 2048  # with fewer ranks parts of the page grow, too, which have a most
    more = _peak_bytes(tmp_path, many) - _peak_bytes(tmp_path, few)
    messages = many * (many - 1) - few * (few - 1)
    assert more <= BYTES_PER_MESSAGE * messages


@pytest.mark.thorough
def test_what_is_held_no_longer_is_given_back(lulesh: Path) -> None:
    """A hundred graphs of this trace take 40 MB."""
    assert int(python("-c", REPEATED, lulesh)) < 10_000_000


def test_a_program_ends_silently_while_a_thread_has_a_result(lulesh: Path) -> None:
    assert python("-c", HELD_AT_THE_END, lulesh) == "ended\n"


def _peak_bytes(folder: Path, ranks: int) -> int:
    """The most memory of the command, from the trace to the page."""
    trace = folder / str(ranks)
    write_all_to_all(trace, ranks)
    made = folder / f"of {ranks}"
    analyze: list[str | Path] = ["latitude", "analyze", trace, "-o", made, "--threads", "2"]
    printed = python("-m", "support.peak", *analyze)
    assert (made / "report.html").exists()
    return int(printed.splitlines()[-1])
