"""Memory that an analysis takes and gives back, which no load of the machine changes."""

import subprocess
import sys
from pathlib import Path

from support.all_to_all import write_all_to_all
from support.hanging import HANG_S
from support.paths import TESTS

BYTES_PER_MESSAGE = 280
"""Of the messages that 1,024 ranks have more than 128; 252 to 264 were seen, 30 of them for parts
of the page that grow no further. Of those that 4,096 ranks have more than 2,048 each takes 224, and
one MPI_Alltoall of 4,096 ranks fits into 4 GiB.
"""

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


def test_an_alltoall_of_many_ranks_takes_little_memory_per_message(tmp_path: Path) -> None:
    few, many = 128, 1024
    more = _peak_bytes(tmp_path, many) - _peak_bytes(tmp_path, few)
    messages = many * (many - 1) - few * (few - 1)
    assert more <= BYTES_PER_MESSAGE * messages


def test_what_is_held_no_longer_is_given_back(lulesh: Path) -> None:
    """A hundred graphs of this trace take 40 MB."""
    assert int(_output("-c", REPEATED, lulesh)) < 10_000_000


def test_a_program_ends_silently_while_a_thread_has_a_result(lulesh: Path) -> None:
    assert _output("-c", HELD_AT_THE_END, lulesh) == "ended\n"


def _peak_bytes(folder: Path, ranks: int) -> int:
    """The most memory of the command, from the trace to the page."""
    trace = folder / str(ranks)
    write_all_to_all(trace, ranks)
    made = folder / f"of {ranks}"
    analyze: list[str | Path] = ["latitude", "analyze", trace, "-o", made, "--threads", "2"]
    printed = _output("-m", "support.peak", *analyze)
    assert (made / "report.html").exists()
    return int(printed.splitlines()[-1])


def _output(*words: str | Path) -> str:
    """What a Python prints, on both outputs."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=TESTS,
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=HANG_S,
    )
    return done.stdout
