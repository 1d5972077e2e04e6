"""Commands of `latitude`, each in a fork of a process that has imported what they need.

To import it takes most commands longer than what they do.
"""

import gc
import json
import os
import pkgutil
import resource
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn

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
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = 4
"""A command that takes as many times its processor time is killed."""


@dataclass(frozen=True)
class Limits:
    """What a command may use."""

    cpu_s: int
    """Time on a processor."""
    memory: int
    """Bytes, beside those of the libraries."""


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it took."""

    status: int
    """Negative for a signal."""
    cpu_s: float
    memory: int
    """Most bytes in memory, those of the libraries included."""
    out: str
    err: str


class Forked:
    """Starts the process that forks; commands may run side by side."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """`environment` is what libraries find when they are imported."""
        self._directory = tempfile.TemporaryDirectory(prefix="latitude-forked-")
        self._address = str(Path(self._directory.name, "socket"))
        self.environment = dict(environment)
        self._server = subprocess.Popen(
            [sys.executable, "-m", "support.forked", self._address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=self._directory.name,
            env={**self.environment, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert self._server.stdout is not None
        assert self._server.stdout.readline() == b"ready\n", "the process that forks did not start"

    def close(self) -> None:
        """Ends the process that forks."""
        self._server.communicate()
        self._directory.cleanup()

    def run(
        self,
        words: Sequence[str],
        *,
        cwd: str | os.PathLike[str],
        environment: Mapping[str, str],
        limits: Limits | None = None,
    ) -> Ended:
        """`latitude` with these words."""
        (ended,) = self.run_each([words], cwd=cwd, environment=environment, limits=limits)
        return ended

    def run_each(
        self,
        commands: Sequence[Sequence[str]],
        *,
        cwd: str | os.PathLike[str],
        environment: Mapping[str, str],
        limits: Limits | None = None,
    ) -> Iterator[Ended]:
        """`latitude` with each of these words, one after the other; limits are of each.

        One process does all of them, and when one kills it another goes on with the next.
        """
        left = list(commands)
        while left:
            with tempfile.TemporaryDirectory(dir=self._directory.name) as name:
                asked = {
                    "commands": [list(words) for words in left],
                    "cwd": os.fspath(cwd),
                    "environment": dict(environment),
                    "folder": name,
                    "limits": limits and asdict(limits),
                }
                killed = self._ask(asked)
                for number in range(len(left)):
                    told = Path(name, f"ended-{number}")
                    how = json.loads(told.read_text("utf-8")) if told.exists() else killed
                    # Whoever was started by it and still writes does so into the same files.
                    texts = (
                        Path(name, f"{stream}-{number}").read_text("utf-8", errors="replace")
                        for stream in ("out", "err")
                    )
                    yield Ended(how["status"], how["cpu_s"], how["memory"], *texts)
                    del left[0]
                    if how is killed:
                        break

    def _ask(self, asked: dict[str, Any]) -> dict[str, Any]:
        """How the process that does it ended."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self._address)
            connection.sendall(json.dumps(asked).encode())
            connection.shutdown(socket.SHUT_WR)
            found: dict[str, Any] = json.loads(_all(connection))
            return found


def _all(connection: socket.socket) -> bytes:
    parts = []
    while part := connection.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)


def _serve(address: str) -> None:
    for name in (*_MODULES, *_own_modules()):
        with suppress(ModuleNotFoundError):  # of a solver that is not installed
            __import__(name)
    # Collections in forks need not look at, and so copy, what was imported.
    gc.collect()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as listening, selectors.DefaultSelector() as selector:
        listening.bind(address)
        listening.listen(64)
        selector.register(listening, selectors.EVENT_READ)
        selector.register(sys.stdin, selectors.EVENT_READ)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while True:
            for key, _ in selector.select():
                if key.fileobj is sys.stdin:
                    gc.unfreeze()
                    return
                if key.fileobj is listening:
                    connection, _ = listening.accept()
                    process = _forked(connection, listening)
                    ends = os.pidfd_open(process)
                    selector.register(ends, selectors.EVENT_READ, (process, connection))
                else:
                    _answer(*key.data)
                    selector.unregister(key.fd)
                    os.close(key.fd)


def _forked(connection: socket.socket, listening: socket.socket) -> int:
    """The process of the command that is asked for."""
    asked = json.loads(_all(connection))
    process = os.fork()
    if process == 0:
        listening.close()
        connection.close()
        _become(asked)
    return process


def _answer(process: int, connection: socket.socket) -> None:
    """Tells how a command ended."""
    _, code, used = os.wait4(process, 0)
    with connection:
        connection.sendall(_how(os.waitstatus_to_exitcode(code), [used]).encode())
        connection.shutdown(socket.SHUT_WR)  # commands that began meanwhile have it open, too


def _own_modules() -> Iterator[str]:
    import latitude  # noqa: PLC0415 - the server's

    for module in pkgutil.walk_packages(latitude.__path__, "latitude."):
        if not module.name.endswith(".__main__"):
            yield module.name


def _how(status: int, used: Sequence[resource.struct_rusage], before_s: float = 0) -> str:
    """How a command ended, as it is told; the first of `used` has the memory."""
    cpu_s = sum(each.ru_utime + each.ru_stime for each in used) - before_s
    return json.dumps({"status": status, "cpu_s": cpu_s, "memory": used[0].ru_maxrss * 1024})


def _become(asked: dict[str, Any]) -> NoReturn:
    """Does in this process what the commands do, one after the other."""
    folder = Path(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    limits = Limits(**asked["limits"]) if asked["limits"] else None
    if limits is not None:
        _limit_memory(limits)
    for number, words in enumerate(asked["commands"]):
        for descriptor, path, flags in (
            (0, os.devnull, os.O_RDONLY),
            (1, folder / f"out-{number}", os.O_WRONLY | os.O_APPEND | os.O_CREAT),
            (2, folder / f"err-{number}", os.O_WRONLY | os.O_APPEND | os.O_CREAT),
        ):
            opened = os.open(path, flags)
            os.dup2(opened, descriptor)
            os.close(opened)
        os.chdir(asked["cwd"])
        before_s = _used_s()
        if limits is not None:
            _limit_time(limits, before_s)
        signal.alarm(int(HANG_S))
        status = status_of(words)
        used = [resource.getrusage(who) for who in _OURS]
        part = folder / "part"
        part.write_text(_how(status, used, before_s), encoding="utf-8")
        part.rename(folder / f"ended-{number}")
    os._exit(0)


_OURS = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def _used_s() -> float:
    return sum(each.ru_utime + each.ru_stime for each in map(resource.getrusage, _OURS))


def _limit_memory(limits: Limits) -> None:
    mapped = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * _PAGE
    resource.setrlimit(resource.RLIMIT_AS, (mapped + limits.memory,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limit_time(limits: Limits, before_s: float) -> None:
    # The kernel counts whole ticks for this limit, and a virtual machine that its host stops gets
    # many at once: ended is who has far too many, and `Ended.cpu_s` tells the time exactly.
    most_s = int(before_s) + 1 + _TICKS * limits.cpu_s
    resource.setrlimit(resource.RLIMIT_CPU, (most_s, resource.RLIM_INFINITY))


def status_of(words: Sequence[str]) -> int:
    """The exit status of `python -m latitude` with these words, done in this process."""
    import latitude.cli.main  # noqa: PLC0415 - once its place is known

    status = 1
    sys.argv = [str(Path(latitude.__file__).with_name("__main__.py")), *words]
    try:
        status = latitude.cli.main.main(words)
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001 - this is not the process that forks
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return status


if __name__ == "__main__":
    _serve(sys.argv[1])
