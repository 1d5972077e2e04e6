"""Commands with limits on memory and processor time, each in a fork of a process that has imported.

A command that waits uses no time: what ends it is the limit of all tests on what hangs.
"""

import json
import os
import pkgutil
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.hanging import HANG_S

_MODULES = (
    "highspy",
    "jinja2",
    "pandas",
    "plotly.offline",
    "pyarrow.dataset",
    "pyarrow.parquet",
    "scipy.optimize",
    "scipy.stats",
)
"""What commands import only when they need it, beside modules of the package itself."""
_ENVIRONMENT = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it took."""

    status: int
    """As a shell reports it."""
    cpu_s: float
    memory: int
    """Most bytes in memory, those of the libraries included."""
    out: str
    err: str


class Limited:
    """Runs commands one by one."""

    def __init__(self, directory: Path, *, cpu_s: int, memory: int) -> None:
        """Starts the process that forks.

        Args:
            directory: where commands run, and what they print is kept.
            cpu_s: time on a processor that each has.
            memory: bytes that each may have beside those of the libraries.
        """
        self._directory = directory
        self._limits = {"cpu_s": cpu_s, "memory": memory}
        self._server = subprocess.Popen(
            [sys.executable, "-m", "support.limited"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            cwd=directory,
            env={
                **os.environ,
                **_ENVIRONMENT,
                "PYTHONPATH": os.pathsep.join([*sys.path]),
                "XDG_CONFIG_HOME": str(directory),
            },
        )

    def close(self) -> None:
        """Ends the process that forks."""
        self._server.communicate()

    def run(self, *words: object) -> Ended:
        """`latitude` with these words."""
        out, err = self._directory / "out.txt", self._directory / "err.txt"
        asked = {"words": list(map(os.fsdecode, map(str, words))), "out": str(out), "err": str(err)}
        if self._server.stdin is None or self._server.stdout is None:
            raise ValueError("no pipes")
        self._server.stdin.write(json.dumps({**asked, **self._limits}) + "\n")
        self._server.stdin.flush()
        found = json.loads(self._server.stdout.readline())
        texts = (path.read_text(encoding="utf-8", errors="replace") for path in (out, err))
        return Ended(found["status"], found["cpu_s"], found["memory"], *texts)


def _serve() -> None:
    for name in (*_MODULES, *_own_modules()):
        with suppress(ModuleNotFoundError):  # of a solver that is not installed
            __import__(name)
    for line in sys.stdin:
        asked = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _child(asked)
        _, code, used = os.wait4(pid, 0)
        status = os.waitstatus_to_exitcode(code)
        answer = {
            "status": status if status >= 0 else 128 - status,
            "cpu_s": used.ru_utime + used.ru_stime,
            "memory": used.ru_maxrss * 1024,
        }
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _own_modules() -> Iterator[str]:
    import latitude  # noqa: PLC0415 - the server's

    for module in pkgutil.walk_packages(latitude.__path__, "latitude."):
        if not module.name.endswith(".__main__"):
            yield module.name


def _child(asked: dict[str, Any]) -> None:
    from latitude.cli.main import main  # noqa: PLC0415 - the server's

    mapped = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * _PAGE
    for number, path in ((1, asked["out"]), (2, asked["err"])):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    resource.setrlimit(resource.RLIMIT_AS, (mapped + asked["memory"],) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (asked["cpu_s"], asked["cpu_s"] + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(int(HANG_S))
    sys.argv = ["latitude", *asked["words"]]
    status = 1
    try:
        status = main(asked["words"])
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    _serve()
