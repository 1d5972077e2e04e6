"""Claims on runs: one file per claim, so that runners on any machine share one directory.

    DIR/claims/RUNID-ATTEMPT-TRY     {"host", "boot", "namespace", "pid", "born", "job", …}

The holder of the highest TRY of an attempt makes the run. A claim is made by a hard link, which
only one of many runners can create. A holder that stops in an orderly way (Ctrl-C) writes a file
RUNID-ATTEMPT-TRY.released, which ends its claim. A claim of this machine is lost if its process is
gone. A claim of another machine is lost if its Slurm job has ended or started again, or if nobody
renewed the claim for SILENT_S. After a released or lost claim, a runner may claim the next TRY.
Latitude removes the claims once the attempt is on disk, so a new holder checks the disk once more.
"""

import os
import socket
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from latitude._core import InputError
from latitude.files.reading import parsing, read_bytes
from latitude.files.writing import write_first
from latitude.lab.cluster.slurm import ask

FOLDER = "claims"
SILENT_S = 90.0
"""Time without renewal, s, after which a claim of a process on another machine is lost."""
_RELEASED = ".released"
_SAME_MACHINE = ("host", "boot", "namespace")

_MOST_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim that this process holds."""

    path: Path
    lost: int
    """Number of earlier tries whose process vanished."""

    def release(self) -> None:
        """Gives the attempt back without a result."""
        Path(f"{self.path}{_RELEASED}").touch()

    def renew(self) -> None:
        """Shows that the holder lives; called every ten seconds."""
        with suppress(FileNotFoundError):
            os.utime(self.path)


class Claims:
    """The claims in one campaign's directory."""

    def __init__(self, directory: Path) -> None:
        self._folder = directory / FOLDER

    def take(self, run_id: str, attempt: int) -> Claim | None:
        """Claims an attempt; None while another runner holds the claim."""
        lost = 0
        number = 0
        while True:
            path = self._path(run_id, attempt, number)
            if write_first(path, _state_holder):
                return Claim(path, lost)
            if not Path(f"{path}{_RELEASED}").exists():
                if not self._lost(path):
                    return None
                lost += 1
            number += 1

    def holder(self, run_id: str, attempt: int) -> str | None:
        """The runner that holds the attempt, in words; None without a live runner."""
        number = 0
        while self._path(run_id, attempt, number + 1).exists():
            number += 1
        path = self._path(run_id, attempt, number)
        found = _read(path)
        if found is None or Path(f"{path}{_RELEASED}").exists() or self._lost(path):
            return None
        job = f", Slurm job {found.job}" if found.job else ""
        return f"process {found.pid} on {found.host}{job}"

    def clear(self, run_id: str, attempt: int) -> None:
        """Removes the claims of an attempt whose result is on disk."""
        for path in self._folder.glob(f"{run_id}-{attempt}-*"):
            path.unlink(missing_ok=True)

    def _path(self, run_id: str, attempt: int, number: int) -> Path:
        return self._folder / f"{run_id}-{attempt}-{number}"

    def _lost(self, path: Path) -> bool:
        found = _read(path)
        if found is None:
            return False  # the claim was removed just now: its attempt is on disk
        mine = _myself()
        if all(getattr(found, name) == getattr(mine, name) for name in _SAME_MACHINE):
            return _born(found.pid) != found.born
        job = found.job
        if job and job == mine.job:
            return True  # Slurm has started this very job again, on another node
        if job and not _in_queue(job):
            return True
        return self._silent_for(path) > SILENT_S

    def _silent_for(self, path: Path) -> float:
        """Seconds since the claim was renewed, by the clock of the file system."""
        with tempfile.NamedTemporaryFile(prefix=".", dir=self._folder) as file:
            now = os.fstat(file.fileno()).st_mtime
        try:
            return now - path.stat().st_mtime
        except FileNotFoundError:
            return 0.0


class _Holder(msgspec.Struct):
    """The holder of a claim, as in the claim's file."""

    host: str
    boot: str
    namespace: str
    pid: int
    born: int | None
    job: str
    time: str


def _state_holder(path: Path) -> None:
    path.write_bytes(msgspec.json.encode(_myself()))


def _myself() -> _Holder:
    pid = os.getpid()
    return _Holder(
        host=socket.gethostname(),
        boot=Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip(),
        namespace=str(Path("/proc/self/ns/pid").readlink()),
        pid=pid,
        born=_born(pid),
        job=os.environ.get("SLURM_JOB_ID", ""),
        time=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    )


def _born(pid: int) -> int | None:
    """Start time of a process, in ticks since the machine's start; None if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    state, *rest = fields.rpartition(")")[2].split()
    return None if state == "Z" else int(rest[18])


def _read(path: Path) -> _Holder | None:
    try:
        content = read_bytes(path, _MOST_BYTES)
    except InputError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return None
        raise
    with parsing(str(path), "not a claim; remove it"):
        return msgspec.json.decode(content, type=_Holder)


def _in_queue(job: str) -> bool:
    """Whether the job is pending or running in Slurm; true if Slurm does not answer."""
    try:
        return bool(ask(("squeue", "-h", "-j", job, "-o", "%T")).strip())
    except InputError as error:
        return "Invalid job id" not in str(error)
