"""Runs in the guest, as its first process: the steps of a file, each within a time limit.

    python inside.py STEPS DIRECTORY

Writes one line of JSON for each step, and `ready` before the first, to the second serial port; then
switches the machine off.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import tty
from pathlib import Path
from typing import Any

RESULTS = Path("/dev/ttyS1")
POWER_OFF = ["/bin/busybox", "poweroff", "-f"]


def run(step: dict[str, Any], directory: Path) -> dict[str, Any]:
    """What came of one step; its status is None when it was stopped."""
    begin = time.monotonic()
    process = subprocess.Popen(
        step["words"],
        cwd=directory,
        env=step["environment"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(timeout=step["limit_s"])
        status = process.returncode
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        stdout, stderr = process.communicate()
        status = None
    left = {name: directory / name for name in step["files"]}
    return {
        "name": step["name"],
        "status": status,
        "stdout": stdout,
        "stderr": stderr,
        "files": {name: path.read_text() for name, path in left.items() if path.exists()},
        "seconds": round(time.monotonic() - begin, 2),
    }


def main() -> None:
    """All steps, one after the other."""
    steps, directory = Path(sys.argv[1]), Path(sys.argv[2])
    directory.mkdir(parents=True)
    with RESULTS.open("wb") as results:
        tty.setraw(results)
        results.write(b"ready\n")
        for step in json.loads(steps.read_text()):
            results.flush()
            results.write(json.dumps(run(step, directory)).encode() + b"\n")
    subprocess.run(POWER_OFF, check=True)


main()
