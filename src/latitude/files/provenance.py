"""Origin of a result: input and its hash, command, version, date, host."""

import hashlib
import re
import shlex
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path, PurePath
from threading import Thread
from typing import Annotated

from msgspec import Meta

from latitude._core import InputError
from latitude._types import Instant
from latitude._version import __version__
from latitude.files.reading import open_regular
from latitude.files.text import as_text

_CHUNK = 1 << 20
_SUFFIXES = re.compile(r"(\.(tar|xz|gz|zst|bz2|tgz|goal|bin))+$")


class Digest:
    """SHA-256 of an input, computed while the input is read.

    The hash of one file is that of its bytes. The hash of several files is that of the lines
    `<hash> <name>` that `sha256sum` prints for them, in rank order. So `sha256sum … | sha256sum` in
    the directory gives the same hash.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = list(paths)
        self._hex = ""
        self._error: OSError | InputError | None = None
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            hashes = [_sha256(path) for path in self._paths]
        except (OSError, InputError) as error:
            self._error = error
            return
        if len(hashes) == 1:
            self._hex = hashes[0]
            return
        lines = "".join(
            f"{value}  {path.name}\n" for value, path in zip(hashes, self._paths, strict=True)
        )
        self._hex = hashlib.sha256(lines.encode()).hexdigest()

    def hex(self) -> str:
        """The hash; waits until it is computed."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._hex


def _sha256(path: Path) -> str:
    state = hashlib.sha256()
    with open_regular(path) as file:
        while chunk := file.read(_CHUNK):
            state.update(chunk)
    return state.hexdigest()


@dataclass(frozen=True, slots=True)
class Stamp:
    """Facts for reproducing a result that was not computed from a file."""

    version: str
    command: str
    date: str
    """Date and time in ISO 8601, UTC."""
    host: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """Facts for reproducing a result."""

    version: str
    command: str
    date: Instant
    """Date and time, UTC."""
    input: str
    input_sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    """SHA-256 of the file; for several files, of the lines that `sha256sum` prints for them in rank
    order."""
    host: str
    program: str | None = None
    """The program with its arguments, if the input records the command line."""

    @property
    def name(self) -> str:
        """A name for the input: the program, or else the input's file name without suffixes."""
        return input_name(self.input) if self.program is None else self.program


@dataclass(frozen=True, slots=True)
class Made:
    """Facts about a result that was measured, not computed from a file."""

    version: str
    command: str
    date: str
    """Date and time in ISO 8601, UTC."""
    host: str


def made_now() -> Made:
    """Provenance of a result measured now, in this process."""
    return Made(**of_this_run())


def provenance(path: Path, digest: Digest, program: str | None = None) -> Provenance:
    """Provenance of a result computed now from `path`, the trace of a `program`."""
    return Provenance(**of_this_run(), input=str(path), input_sha256=digest.hex(), program=program)


def provenance_of(paths: Sequence[Path]) -> Provenance:
    """Provenance of a result of several files and directories, whose files are ordered by name."""
    files: list[Path] = []
    for path in paths:
        entries = path.rglob("*") if path.is_dir() else [path]
        files += sorted(entry for entry in entries if entry.is_file())
    return replace(provenance(paths[0], Digest(files)), input=", ".join(map(str, paths)))


def stamp() -> Stamp:
    """Stamp of a result made now, in this process."""
    return Stamp(**of_this_run())


def of_this_run() -> dict[str, str]:
    """Version, command, date and host of this process, for a result that it makes now."""
    command = [Path(sys.argv[0]).name or "python", *sys.argv[1:]]
    if command[0] in {"__main__.py", "-c", "-m"}:
        command[0] = "latitude" if command[0] == "__main__.py" else "python"
    return {
        "version": __version__,
        "command": as_text(shlex.join(command)),
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "host": socket.gethostname(),
    }


def input_name(path: str) -> str:
    """A name for the input at `path`: its file name without suffixes."""
    name = PurePath(path).name or path
    return _SUFFIXES.sub("", name) or name
