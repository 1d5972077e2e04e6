"""A file with the passes of an analysis so far, from which the analysis continues after a kill.

The first line is `latitude checkpoint 1` and the SHA-256 of the rest; the rest is MessagePack.
"""

import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from latitude import _core
from latitude._core import InputError
from latitude._version import __version__
from latitude.files.reading import open_regular, parsing, read_bytes
from latitude.files.writing import refuse_existing, replace_with
from latitude.model.network import Network
from latitude.model.theta import Theta
from latitude.notices.kinds import from_core
from latitude.notices.notice import Notice
from latitude.trace.pieces import PieceTrace

if TYPE_CHECKING:
    from typing import Self

_HEAD = b"latitude checkpoint "
_VERSION = 1
_MOST_BYTES = 1 << 26
_FIX = "give another file name, or remove the file to start again"


class PassFound(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The results of one pass; see `_core.StreamFound`."""

    values: list[float]
    """Values of θ."""
    T_ns: list[float]
    right: list[float]
    left: list[float]
    far: tuple[float, float]
    vertices: int
    edges: int
    messages: int
    bytes: int
    nodes: int
    most_held: int
    warnings: list[Notice]

    @classmethod
    def of(cls, values: list[float], found: _core.StreamFound) -> "Self":
        """The core's results at these values of θ."""
        return cls(
            values,
            found.T_ns.tolist(),
            found.right.tolist(),
            found.left.tolist(),
            found.far,
            found.vertices,
            found.edges,
            found.messages,
            found.bytes,
            found.nodes,
            found.most_held,
            from_core(found.warnings),
        )


class _Kept(msgspec.Struct, forbid_unknown_fields=True):
    of: dict[str, str]
    """Everything on which the passes depend, in words."""
    passes: list[PassFound]


def identity_of(
    trace: PieceTrace, network: Network, theta: Theta, asked: object
) -> Mapping[str, str]:
    """Everything on which the results of passes depend; equal for two analyses with equal results.

    Files are equal if their sizes and the checksums in their chunks' headers are equal; the
    checksums cover all content.
    """
    files = "".join(f"{size} {checksum:08x}\n" for size, checksum in trace.pieces.checksums)
    return {
        "version of latitude": __version__,
        "trace": hashlib.sha256(files.encode()).hexdigest(),
        "network": repr(network),
        "parameter": repr(theta),
        "reading of the trace": repr(
            (
                trace.chosen,
                trace.algorithms,
                trace.reduce_ns_per_byte,
                trace.skip_unsupported,
                trace.async_progress,
            )
        ),
        "question": repr(asked),
    }


class Checkpoint:
    """A file with the passes that an analysis has made."""

    def __init__(self, path: Path, tell: Callable[[int], None] = lambda _passes: None) -> None:
        """Reads the file if it exists.

        Args:
            path: the file's path.
            tell: called with the number of passes if an analysis continues after earlier passes.

        Raises:
            InputError: the file is not a checkpoint, or is not writable.
        """
        self.path = path
        self._tell = tell
        refuse_existing([path], force=True)
        self._kept = _read(path) if path.exists() else None

    @property
    def passes(self) -> list[PassFound]:
        """The passes made so far, in order."""
        return [] if self._kept is None else self._kept.passes

    def begin(self, identity: Mapping[str, str]) -> None:
        """Continues with the content of the file.

        InputError: the file belongs to another analysis.
        """
        if self._kept is None:
            self._kept = _Kept(dict(identity), [])
            return
        other = next((name for name in identity if self._kept.of.get(name) != identity[name]), None)
        if other is not None:
            raise InputError(
                f"{self.path}: is the checkpoint of an analysis with another {other}; {_FIX}"
            )
        self._tell(len(self.passes))

    def add(self, found: PassFound) -> None:
        """Adds a pass; the file holds the pass when this returns."""
        self.passes.append(found)
        content = msgspec.msgpack.encode(self._kept)
        head = b"%s%d %s\n" % (_HEAD, _VERSION, hashlib.sha256(content).hexdigest().encode())

        def write(target: Path) -> None:
            with target.open("wb") as file:
                file.write(head + content)
                file.flush()
                os.fsync(file.fileno())

        replace_with(self.path, write, force=True)

    def remove(self) -> None:
        """Removes the file, once the analysis has ended and its results are written."""
        self.path.unlink(missing_ok=True)


def _read(path: Path) -> _Kept:
    """The content of a file."""
    try:
        with open_regular(path) as file:
            ours = file.read(len(_HEAD)) == _HEAD
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    if not ours:
        raise InputError(f"{path}: is not a checkpoint of latitude analyze; {_FIX}")
    head, _, content = read_bytes(path, _MOST_BYTES).partition(b"\n")
    version, _, checksum = head.removeprefix(_HEAD).partition(b" ")
    if version != b"%d" % _VERSION:
        raise InputError(
            f"{path}: is a checkpoint in another version of the format than {_VERSION}; {_FIX}"
        )
    damaged = f"is a damaged checkpoint; {_FIX}"
    if checksum != hashlib.sha256(content).hexdigest().encode():
        raise InputError(f"{path}: {damaged}")
    with parsing(str(path), damaged):
        return msgspec.msgpack.decode(content, type=_Kept)
