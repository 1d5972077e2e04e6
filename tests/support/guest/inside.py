"""Runs in the guest, as its first process: the steps of a file, each within a time limit.

    python inside.py STEPS DIRECTORY

Writes one line of JSON for each step, and `ready` before the first, to the second serial port; then
switches the machine off. `python -m latitude` is imported once and forked for each step, because an
emulated machine needs ten seconds to start Python.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import traceback
import tty
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

RESULTS = Path("/dev/ttyS1")
POWER_OFF = ["/bin/busybox", "poweroff", "-f"]


LATITUDE = [sys.executable, "-m", "latitude"]


def imported(path: str) -> Callable[[Sequence[str]], int]:
    """The main function of `python -m latitude`, after the imports of `inject`."""
    sys.path[:0] = [place for place in path.split(os.pathsep) if place]
    from latitude.cli import inject, main  # noqa: F401, PLC0415 - once its place is known

    return main.main


def ran(step: dict[str, Any], latitude: Callable[[Sequence[str]], int]) -> int:
    """The command of a step, in a session of its own; its exit status, if it is one of ours."""
    os.setsid()
    for number, name in enumerate(("/dev/null", "stdout", "stderr")):
        mode = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        os.dup2(os.open(name, mode, 0o644), number)
    words = step["words"]
    if words[:3] != LATITUDE:
        os.execvpe(words[0], words, step["environment"])  # noqa: S606 - the test's own command
    os.environ.clear()
    os.environ.update(step["environment"])
    return latitude(words[3:])


def become(step: dict[str, Any], latitude: Callable[[Sequence[str]], int]) -> NoReturn:
    """Ends this process, a fork of ours, as the command of a step does."""
    status = 1
    try:
        status = ran(step, latitude)
    except SystemExit as ended:
        status = int(ended.code or 0)
    except BaseException:  # noqa: BLE001 - whatever it is, this is not the guest's first process
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def ended(process: int, limit_s: float, *, once_it_prints: bool) -> int | None:
    """The process's exit status, negative for a signal; None if it was stopped after `limit_s`."""
    end = time.monotonic() + limit_s
    while True:
        found, status = os.waitpid(process, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        if once_it_prints and not Path("stdout").stat().st_size:
            end = time.monotonic() + limit_s
        elif time.monotonic() > end:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return None
        time.sleep(0.02)


def run(
    step: dict[str, Any], directory: Path, latitude: Callable[[Sequence[str]], int]
) -> dict[str, Any]:
    """The outcome of one step, with status None if it was stopped."""
    begin = time.monotonic()
    os.chdir(directory)
    Path("stdout").write_bytes(b"")
    process = os.fork() or become(step, latitude)
    status = ended(process, step["limit_s"], once_it_prints=step["once_it_prints"])
    stdout, stderr = (
        (directory / name).read_text(errors="replace") for name in ("stdout", "stderr")
    )
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
        tty.setraw(results.fileno())
        results.write(b"ready\n")
        plan = json.loads(steps.read_text())
        latitude = imported(plan[0]["environment"].get("PYTHONPATH", ""))
        for step in plan:
            results.flush()
            results.write(json.dumps(run(step, directory, latitude)).encode() + b"\n")
    subprocess.run(POWER_OFF, check=True)


main()
