"""Compressed files and archives of per-rank files, streamed; nothing is unpacked to disk."""

import bz2
import gzip
import io
import lzma
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

import zstandard

from latitude import _core
from latitude._core import InputError
from latitude.files.progress import Progress
from latitude.trace.formats import Chosen, found, nothing_found

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

_HEAD = 256

SUFFIXES = tuple(_OPENERS)
"""Compressions known, by file suffix."""


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


def read_archive(path: Path, chosen: Chosen, progress: Progress) -> _core.Trace:
    """The trace in an archive of files, each possibly compressed itself.

    The archive is gone through twice, first for what is in it: names and first bytes tell the
    format, and that which files to read.
    """
    with damage_is_input_error(str(path)):
        size = path.stat().st_size
        progress.stage("Listing archive", size)
        with _members(path, progress) as tar:
            heads = {member.name: _head_of(tar, member) for member in tar if member.isfile()}
        claim = found(str(path), list(heads), heads.__getitem__)
        if claim is None:
            raise nothing_found(str(path), list(heads))
        form, parts = claim
        number_of = {name: number for number, name in enumerate(parts)}
        loader = _Loader(form, [f"{path.name}:{name}" for name in parts], chosen)
        progress.stage("Reading trace", size)
        with _members(path, progress) as tar:
            for member in tar:
                number = number_of.get(member.name)
                if number is None or not member.isfile():
                    continue
                file = tar.extractfile(member)
                if file is not None:
                    loader.read(number, _opened(file, member.name))
        return loader.finish()


def read_compressed_files(
    form: _core.Format, paths: list[Path], chosen: Chosen, progress: Progress
) -> _core.Trace:
    """The trace in files of a format, some of which are compressed, in the format's order."""
    loader = _Loader(form, [str(path) for path in paths], chosen)
    progress.stage("Reading trace", sum(path.stat().st_size for path in paths))
    for number, path in enumerate(paths):
        with damage_is_input_error(str(path)), path.open("rb") as raw:
            counted = io.BufferedReader(_Counted(raw, progress), CHUNK)
            loader.read(number, _opened(counted, path.name))
    return loader.finish()


def head_of_file(path: Path) -> bytes:
    """A file's first bytes, decompressed; none where what is compressed is damaged."""
    with path.open("rb") as file:
        return _head(file, path.name)


def _head_of(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(member)
    return b"" if file is None else _head(file, member.name)


def _head(file: IO[bytes], name: str) -> bytes:
    if Path(name).suffix not in _OPENERS:
        return file.read(_HEAD)
    try:
        return _opened(file, name).read(_HEAD)
    except (*_DAMAGE, OSError):
        return b""  # reading it says so, if it is read


def _opened(file: IO[bytes], name: str) -> IO[bytes]:
    """`file`, decompressed when its name says that it is compressed."""
    suffix = Path(name).suffix
    return _OPENERS[suffix](file) if suffix in _OPENERS else file


class _Loader:
    """Hands files to the core's loader of a format, the way it takes them."""

    def __init__(self, form: _core.Format, names: list[str], chosen: Chosen) -> None:
        if form.intake == _core.Intake.disk:
            raise InputError(
                f"{names[0]}: {form.name} is read from files on disk only; unpack them first"
            )
        self._whole = form.intake == _core.Intake.whole
        self._loader = form.loader(names, chosen)
        self._unread = names[0] if names else ""

    def read(self, number: int, file: IO[bytes]) -> None:
        self._unread = ""
        if self._whole:
            self._loader.feed(number, file.read())
            return
        for chunk in iter(lambda: file.read(CHUNK), b""):
            self._loader.feed(number, chunk)

    def finish(self) -> _core.Trace:
        if self._unread:
            raise InputError(f"{self._unread}: cannot be read from the archive; unpack it first")
        return self._loader.finish()
