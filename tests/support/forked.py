"""Commands of `latitude`, each in a fork of a process that has imported what they need.

To import it takes most commands longer than what they do.
"""

import gc
import json
import os
import pkgutil
import resource
import select
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, NoReturn

from support.forking import ask, outcome
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
"""Modules that commands import only on demand, in addition to the package's own."""
_PAGE = os.sysconf("SC_PAGE_SIZE")
_APPEND = os.O_WRONLY | os.O_APPEND
_MUCH = 0.6
"""Share of the limit of memory after which a process does no further command."""
_TICKS = 4
"""A command that takes as many times its processor time is killed."""


@dataclass(frozen=True)
class Limits:
    """Limits of a command."""

    cpu_s: int
    """Time on a processor."""
    memory: int
    """Bytes, in addition to those of the libraries."""


@dataclass(frozen=True)
class Ended:
    """The end of a command, and its costs."""

    status: int
    """Negative for a signal."""
    cpu_s: float
    memory: int
    """Most bytes in memory, those of the libraries included."""
    out: str
    err: str


@dataclass
class Begun:
    """A command that runs, with those parts of `subprocess.Popen` that tests need."""

    args: Sequence[str]
    connection: socket.socket
    out: IO[bytes]
    err: IO[bytes]
    pid: int = field(init=False)
    _ended: Ended | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._answers = self.connection.makefile("rb")
        self.pid = json.loads(self._answers.readline())

    def __enter__(self) -> "Begun":  # noqa: PYI034 - Self is of Python 3.11
        return self

    def __exit__(self, *_: object) -> None:
        self.ended()

    @property
    def returncode(self) -> int | None:
        return self._ended.status if self._ended else None

    def poll(self) -> int | None:
        """The status of a command that has ended."""
        if not self._ended and select.select([self.connection], [], [], 0)[0]:
            self.ended()
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float = HANG_S) -> tuple[str, str]:
        """Waits for the end, then gives what the command has printed."""
        self.connection.settimeout(timeout)
        ended = self.ended()
        return ended.out, ended.err

    def ended(self) -> Ended:
        """Waits for the end."""
        if not self._ended:
            with self.connection, self._answers, self.out, self.err:
                found = json.loads(self._answers.readline())
                # Whoever was started by the command and still writes does so into the same files.
                texts = (
                    Path(file.name).read_text(encoding="utf-8", errors="replace")
                    for file in (self.out, self.err)
                )
                self._ended = Ended(found["status"], found["cpu_s"], found["memory"], *texts)
        return self._ended


class Forked:
    """Starts the process that forks; commands may run side by side."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """`environment` is what libraries find when they are imported."""
        self._directory = tempfile.TemporaryDirectory(prefix="latitude-forked-")
        self.address = str(Path(self._directory.name, "socket"))
        self.environment = dict(environment)
        self._server = subprocess.Popen(
            [sys.executable, "-m", "support.forked", self.address],
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
        """`latitude` with these words, to its end."""
        return self.begin(words, cwd=cwd, environment=environment, limits=limits).ended()

    def run_each(
        self,
        commands: Sequence[Sequence[str]],
        *,
        cwd: str | os.PathLike[str],
        environment: Mapping[str, str],
        limits: Limits | None = None,
    ) -> Iterator[Ended]:
        """`latitude` with each of these words, one after the other; limits are of each.

        One process does all of them. When a command kills the process, or has used much memory,
        another one goes on with the next command.
        """
        left = list(commands)
        while left:
            with tempfile.TemporaryDirectory(dir=self._directory.name) as name:
                asked = {
                    "each": [list(words) for words in left],
                    "folder": name,
                    "cwd": os.fspath(cwd),
                    "environment": dict(environment),
                    "limits": limits and asdict(limits),
                    "session": False,
                }
                with Path(os.devnull).open("r+b") as nowhere:
                    killed = outcome(ask(self.address, asked, [nowhere.fileno()] * 3))
                for number in range(len(left)):
                    told = Path(name, f"ended-{number}")
                    if number and not told.exists() and killed["status"] == 0:
                        break  # it has left the rest to another one
                    how = json.loads(told.read_text("utf-8")) if told.exists() else killed
                    texts = (
                        Path(name, f"{stream}-{number}").read_text("utf-8", errors="replace")
                        for stream in ("out", "err")
                    )
                    yield Ended(how["status"], how["cpu_s"], how["memory"], *texts)
                    del left[0]
                    if how is killed:
                        break

    def begin(
        self,
        words: Sequence[str],
        *,
        cwd: str | os.PathLike[str],
        environment: Mapping[str, str],
        limits: Limits | None = None,
        start_new_session: bool = False,
    ) -> Begun:
        """`latitude` with these words; it reads nothing, and what it prints is kept."""
        files = [tempfile.NamedTemporaryFile(dir=self._directory.name) for _ in "oe"]  # noqa: SIM115
        asked = {
            "words": list(words),
            "cwd": os.fspath(cwd),
            "environment": dict(environment),
            "limits": limits and asdict(limits),
            "session": start_new_session,
        }
        given = [os.open(os.devnull, os.O_RDONLY), *(os.open(f.name, _APPEND) for f in files)]
        try:
            connection = ask(self.address, asked, given)
        finally:
            for descriptor in given:
                os.close(descriptor)
        return Begun(words, connection, *files)


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
    """The process of the requested command."""
    first, files, _, _ = socket.recv_fds(connection, 1 << 16, 3)
    asked = json.loads(b"".join((first, *iter(lambda: connection.recv(1 << 16), b""))))
    process = os.fork()
    if process == 0:
        listening.close()
        connection.close()
        _become(asked, files)
    for file in files:
        os.close(file)
    with suppress(BrokenPipeError):  # whoever asked is killed
        connection.sendall(b"%d\n" % process)
    return process


def _answer(process: int, connection: socket.socket) -> None:
    """Tells how a command ended."""
    _, code, used = os.wait4(process, 0)
    with connection, suppress(BrokenPipeError):
        connection.sendall(_how(os.waitstatus_to_exitcode(code), used).encode() + b"\n")


def _how(status: int, used: resource.struct_rusage, before_s: float = 0.0) -> str:
    """The outcome of a command, in words."""
    cpu_s = used.ru_utime + used.ru_stime - before_s
    return json.dumps({"status": status, "cpu_s": cpu_s, "memory": used.ru_maxrss * 1024})


def _own_modules() -> Iterator[str]:
    import latitude  # noqa: PLC0415 - the server's

    for module in pkgutil.walk_packages(latitude.__path__, "latitude."):
        if not module.name.endswith(".__main__"):
            yield module.name


def _become(asked: dict[str, Any], files: Sequence[int]) -> NoReturn:
    """Does in this process what the command does, or each command of several."""
    _take(files)
    if asked["session"]:
        os.setsid()
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    limits = Limits(**asked["limits"]) if asked["limits"] else None
    if limits is not None:
        _limit(limits)
    if "each" in asked:
        _do_each(asked, limits)
    signal.alarm(int(HANG_S))
    os._exit(_status(asked["words"]))


def _take(files: Sequence[int]) -> None:
    """Makes these files standard input, output and error, and closes their descriptors."""
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    # What Python knows of the files that were there, such as whether one can seek, is of those.
    for name, mode, buffering in (("stdin", "r", -1), ("stdout", "w", -1), ("stderr", "w", 1)):
        old = getattr(sys, name)
        how = {"encoding": old.encoding, "errors": old.errors, "closefd": False}
        setattr(sys, name, open(old.fileno(), mode, buffering, **how))  # noqa: PTH123, SIM115


def _do_each(asked: dict[str, Any], limits: Limits | None) -> NoReturn:
    folder, flags = Path(asked["folder"]), _APPEND | os.O_CREAT
    for number, words in enumerate(asked["each"]):
        said = (os.open(folder / f"{stream}-{number}", flags) for stream in ("out", "err"))
        _take([os.open(os.devnull, os.O_RDONLY), *said])
        begun = resource.getrusage(resource.RUSAGE_SELF)
        before_s = begun.ru_utime + begun.ru_stime
        if limits is not None:
            _limit_time(limits, int(before_s) + 1)
        signal.alarm(int(HANG_S))
        status = _status(words)
        part = folder / "part"
        used = resource.getrusage(resource.RUSAGE_SELF)
        part.write_text(_how(status, used, before_s), encoding="utf-8")
        part.rename(folder / f"ended-{number}")
        # The allocator may keep memory, which would count as the next command's.
        if limits is not None and used.ru_maxrss * 1024 > _MUCH * limits.memory:
            break
    os._exit(0)


def _limit(limits: Limits) -> None:
    mapped = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * _PAGE
    resource.setrlimit(resource.RLIMIT_AS, (mapped + limits.memory,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _limit_time(limits)


def _limit_time(limits: Limits, used_s: int = 0) -> None:
    # The kernel counts whole ticks for this limit, and a virtual machine that its host stops gets
    # many at once: ended is who has far too many, and `Ended.cpu_s` tells the time exactly.
    most_s = used_s + _TICKS * limits.cpu_s
    resource.setrlimit(resource.RLIMIT_CPU, (most_s, resource.RLIM_INFINITY))


def _status(words: Sequence[str]) -> int:
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
    sys.stdout.flush()
    sys.stderr.flush()
    return status


if __name__ == "__main__":
    _serve(sys.argv[1])
