"""Compressed files and archives of per-rank files, streamed; nothing is unpacked to disk."""

import bz2
import gzip
import io
import lzma
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, cast

import zstandard

from latitude import _core
from latitude._core import InputError
from latitude.files.progress import Progress
from latitude.trace.ranks import in_rank_order

CHUNK = 1 << 20
"""Bytes handed to the core at a time."""

_DAMAGE = (
    tarfile.TarError,
    EOFError,
    lzma.LZMAError,
    zlib.error,
    gzip.BadGzipFile,
    zstandard.ZstdError,
)


class _Zstd(io.RawIOBase):
    """Reads a .zst file; unlike zstandard's reader it refuses a truncated one."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__()
        self._file = file
        self._state = zstandard.ZstdDecompressor().decompressobj()
        self._begun = False
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast("bytearray", buffer))
        while not self._ready:
            rest = self._state.unused_data if self._state.eof else b""
            data = rest or self._file.read(CHUNK)
            if not data:
                if self._begun and not self._state.eof:
                    raise EOFError("compressed file ended before the end-of-stream marker")
                return 0
            if self._state.eof:  # one more frame
                self._state = zstandard.ZstdDecompressor().decompressobj()
            self._begun = True
            self._ready = self._state.decompress(data)
        count = min(len(view), len(self._ready))
        view[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count


_OPENERS: dict[str, Callable[[IO[bytes]], IO[bytes]]] = {
    ".gz": lambda file: cast("IO[bytes]", gzip.GzipFile(fileobj=file)),
    ".xz": lambda file: cast("IO[bytes]", lzma.LZMAFile(file)),  # noqa: SIM115 - callers close
    ".bz2": lambda file: cast("IO[bytes]", bz2.BZ2File(file)),
    ".zst": lambda file: cast("IO[bytes]", io.BufferedReader(_Zstd(file), CHUNK)),
}
_MAGIC = {b"\x1f\x8b": ".gz", b"\xfd7zXZ\0": ".xz", b"BZh": ".bz2", b"\x28\xb5\x2f\xfd": ".zst"}
_TAR_MAGIC = slice(257, 262)

_NATIVE_MAGIC = b"LATITUDE"

SUFFIXES = tuple(_OPENERS)
"""Compressions known, by file suffix."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How traces are to be read; see `latitude.load`."""

    mpi: str = "detect"
    clock: str = "auto"
    incomplete: bool = False


def is_native(head: bytes) -> bool:
    """Whether a file that begins so is a rank's file that `latitude trace` wrote."""
    return head.startswith(_NATIVE_MAGIC)


def compression(head: bytes) -> str | None:
    """The compression a file's first bytes announce, as its suffix."""
    return next((suffix for magic, suffix in _MAGIC.items() if head.startswith(magic)), None)


def is_archive(head: bytes) -> bool:
    """Whether a file that begins so is a tar archive or compressed."""
    return head[_TAR_MAGIC] == b"ustar" or compression(head) is not None


@contextmanager
def damage_is_input_error(name: str) -> Iterator[None]:
    """Turns what the libraries raise for truncated and damaged files into one clear line."""
    try:
        yield
    except _DAMAGE as error:
        detail = str(error).partition("\n")[0] or type(error).__name__
        raise InputError(
            f"{name}: the file is truncated or damaged ({detail}); copy it again"
        ) from error


class _Counted(io.RawIOBase):
    """Passes reads through and reports them."""

    def __init__(self, file: IO[bytes], progress: Progress) -> None:
        super().__init__()
        self._file = file
        self._progress = progress

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast("bytearray", buffer))
        data = self._file.read(len(view))
        view[: len(data)] = data
        self._progress.advance(len(data))
        return len(data)


@contextmanager
def _members(path: Path, progress: Progress) -> Iterator[tarfile.TarFile]:
    """The archive as a stream, decompressed."""
    with path.open("rb") as raw:
        suffix = compression(raw.read(8))
        raw.seek(0)
        counted = io.BufferedReader(_Counted(raw, progress), CHUNK)
        stream = _OPENERS[suffix](counted) if suffix else counted
        try:
            with tarfile.open(fileobj=stream, mode="r|") as tar:
                yield tar
        except tarfile.ReadError as error:
            if "not a" in str(error) or "invalid header" in str(error):
                raise InputError(
                    f"{path}: compressed, but not a tar archive; "
                    "pack the per-rank files with tar, or unpack the file first"
                ) from error
            raise


def read_archive(path: Path, reading: Reading, progress: Progress) -> _core.Trace:
    """The trace in an archive of per-rank files, each possibly compressed itself.

    The archive is gone through twice, first for the names: the reader wants to know the ranks.
    """
    with damage_is_input_error(str(path)):
        size = path.stat().st_size
        progress.stage("Listing archive", size)
        with _members(path, progress) as tar:
            names = [member.name for member in tar if member.isfile()]
        ordered = in_rank_order(names, str(path), SUFFIXES)
        rank_of = {name: rank for rank, name in enumerate(ordered)}
        loader = _Loader([f"{path.name}:{name}" for name in ordered], reading)
        progress.stage("Reading trace", size)
        with _members(path, progress) as tar:
            for member in tar:
                rank = rank_of.get(member.name)
                if rank is None or not member.isfile():
                    continue
                file = tar.extractfile(member)
                if file is not None:
                    loader.read(rank, _opened(file, member.name))
        return loader.finish()


def read_compressed_files(paths: list[Path], reading: Reading, progress: Progress) -> _core.Trace:
    """The trace in per-rank files some of which are compressed; paths in rank order."""
    loader = _Loader([str(path) for path in paths], reading)
    progress.stage("Reading trace", sum(path.stat().st_size for path in paths))
    for rank, path in enumerate(paths):
        with damage_is_input_error(str(path)), path.open("rb") as raw:
            counted = io.BufferedReader(_Counted(raw, progress), CHUNK)
            loader.read(rank, _opened(counted, path.name))
    return loader.finish()


def _opened(file: IO[bytes], name: str) -> IO[bytes]:
    """`file`, decompressed when its name says that it is compressed."""
    suffix = Path(name).suffix
    return _OPENERS[suffix](file) if suffix in _OPENERS else file


class _Loader:
    """Hands ranks' files to the core; the first one tells which format they are in."""

    def __init__(self, names: list[str], reading: Reading) -> None:
        self._names = names
        self._reading = reading
        self._text: _core.LiballprofLoader | None = None
        self._native: _core.NativeLoader | None = None

    def read(self, rank: int, file: IO[bytes]) -> None:
        first = file.read(CHUNK)
        if self._text is None and self._native is None:
            self._choose(first)
        if self._native is not None:
            self._native.read(rank, first + file.read())
        elif self._text is not None:
            for chunk in chain([first], iter(lambda: file.read(CHUNK), b"")):
                self._text.feed(rank, chunk)

    def _choose(self, first: bytes) -> None:
        reading = self._reading
        if is_native(first):
            self._native = _core.NativeLoader(self._names, reading.clock, reading.incomplete)
        else:
            self._text = _core.LiballprofLoader(self._names, reading.mpi)

    def finish(self) -> _core.Trace:
        loader = self._native or self._text
        if loader is None:
            message = f"{self._names[0]}: cannot be read from the archive; unpack it first"
            raise InputError(message)
        return loader.finish()
