"""Memory that an analysis takes, which no load of the machine changes."""

import os
import subprocess
import sys
from pathlib import Path

from support.all_to_all import write_all_to_all

BYTES_PER_MESSAGE = 250
"""One MPI_Alltoall of 4,096 ranks, 16.8 million messages, fits into 4 GiB."""


def test_an_alltoall_of_many_ranks_takes_little_memory_per_message(tmp_path: Path) -> None:
    few, many = 128, 1024
    more = _peak_bytes(tmp_path, many) - _peak_bytes(tmp_path, few)
    messages = many * (many - 1) - few * (few - 1)
    assert more <= BYTES_PER_MESSAGE * messages


def _peak_bytes(folder: Path, ranks: int) -> int:
    """The most memory of the command, from the trace to the page."""
    trace = folder / str(ranks)
    write_all_to_all(trace, ranks)
    made = folder / f"of {ranks}"
    command: list[str | Path] = [sys.executable, "-m", "latitude", "analyze", trace, "-o", made]
    command += ["--threads", "2"]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    assert (made / "report.html").exists()
    return used.ru_maxrss * 1024
