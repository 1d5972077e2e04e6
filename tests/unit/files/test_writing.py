"""Files are whole or not there, however the process ends."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

WRITES = """
import os, sys, time
from pathlib import Path
from latitude.files.writing import replace_directory, replace_with

def fill(path):
    if path.is_dir():
        path = path / "part.txt"
    path.write_text("half")
    print(len(list(Path(sys.argv[1]).iterdir())), flush=True)
    for _ in range(10_000):  # a signal right before a sleep is heard after it
        time.sleep(0.01)

if sys.argv[2] == "file":
    replace_with(Path(sys.argv[1]) / "report.html", fill, force=False)
else:
    replace_directory(Path(sys.argv[1]) / "out", ["*.txt"], fill, force=False)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("what", ["file", "directory"])
def test_a_signal_leaves_no_temporary_files(
    tmp_path: Path, what: str, number: signal.Signals
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITES, tmp_path, what],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"1\n"
        child.send_signal(number)
        assert child.wait() == -number
    assert list(tmp_path.iterdir()) == []
