"""Reads compressed files, and archives of per-rank files, without unpacking to disk."""

import bz2
import gzip
import io
import lzma
import tarfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

import zstandard

from latitude import _core
from latitude._core import InputError
from latitude.files.progress import Progress
from latitude.files.reading import open_regular, parsing
from latitude.trace.formats import Chosen, found, nothing_found
from latitude.trace.kept_places import MOST_BYTES, give_places
from latitude.trace.recorded_run import PLACES
from latitude.units.quantities import format_size

CHUNK = 1 << 20
"""Bytes that the core gets at a time."""

FREE = 64 << 20
_RATIO = 200
"""Unpacked data may have `FREE` bytes plus `_RATIO` times the bytes on disk; traces have 5 to 50
times their bytes on disk.
"""
AT_ONCE = 256 << 20
_AT_ONCE_RATIO = 4
"""Limit for a file that a format reads at once: `AT_ONCE` bytes, or this many times its bytes on
disk if that is more. So memory depends on the input's real size, not on its claims.
"""
_MOST_MEMBERS = 1 << 20
_MOST_READS_AFTER_THE_END = 16
"""Largest number of reads after the end of the data: tarfile reads a truncated member to its stated
end, perhaps 2^62 bytes.
"""
_ZSTD_SLICE = 1 << 10
"""Bytes that zstandard gets at a time, which unpack to at most 32 MiB."""


class _Room:
    """Bytes that may still be unpacked."""

    def __init__(self, place: str, packed: int) -> None:
        self._place = place
        self._most = FREE + _RATIO * packed
        self._left = self._most

    def spend(self, count: int) -> None:
        """Uses up `count` bytes. InputError: the room is too small."""
        self._left -= count
        if self._left < 0:
            raise InputError(
                f"{self._place}: holds more than {format_size(self._most)}, over {_RATIO} times "
                "its size; if this is a trace, unpack it and give the directory"
            )


class _Guarded(io.RawIOBase):
    """Counts and passes on reads; exceptions of the reader inside become InputErrors."""

    def __init__(self, file: IO[bytes], place: str, count: Callable[[int], None]) -> None:
        super().__init__()
        self._file = file
        self._place = place
        self._count = count
        self._after_the_end = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast("bytearray", buffer))
        with parsing(self._place):
            data = self._file.read(len(view))
            self._after_the_end += not data
            if self._after_the_end > _MOST_READS_AFTER_THE_END:
                raise EOFError("unexpected end of data")
        self._count(len(data))
        view[: len(data)] = data
        return len(data)


def _guarded(file: IO[bytes], place: str, count: Callable[[int], None]) -> IO[bytes]:
    return cast("IO[bytes]", io.BufferedReader(_Guarded(file, place, count), CHUNK))


class _Zstd(io.RawIOBase):
    """Reads a .zst file; unlike zstandard's reader it rejects a truncated file."""

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
            data = rest or self._file.read(_ZSTD_SLICE)
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
"""Known compressions, by file suffix."""


def compression(head: bytes) -> str | None:
    """The compression that a file's first bytes announce, as its suffix."""
    return next((suffix for magic, suffix in _MAGIC.items() if head.startswith(magic)), None)


def is_archive(head: bytes) -> bool:
    """Whether a file with these first bytes is a tar archive or compressed."""
    return head[_TAR_MAGIC] == b"ustar" or compression(head) is not None


def _members(path: Path, progress: Progress) -> Iterator[tuple[tarfile.TarInfo, IO[bytes]]]:
    """The files in an archive, each to be read before the next; then checks the checksum.

    Errors of reading are InputErrors.
    """
    place, packed = str(path), path.stat().st_size
    unpacked, sparse = _Room(place, packed), _Room(place, packed)
    with open_regular(path) as raw:
        suffix = compression(raw.read(8))
        raw.seek(0)
        stream = _guarded(raw, place, progress.advance)
        if suffix:
            with parsing(place):
                stream = _guarded(_OPENERS[suffix](stream), place, unpacked.spend)
        with _opened_tar(stream, place) as tar:
            for _ in range(_MOST_MEMBERS):  # no member is stored
                with parsing(place):
                    member = tar.next()
                    file = tar.extractfile(member) if member and member.isfile() else None
                tar.members.clear()  # type: ignore[attr-defined]
                if member is None:
                    break
                if file is not None:
                    yield member, _guarded(file, place, sparse.spend)
            else:
                raise InputError(f"{place}: more than {_MOST_MEMBERS:,} files in it")
        while stream.read(CHUNK):  # the compressor has put a checksum at the end
            pass


@contextmanager
def _opened_tar(stream: IO[bytes], place: str) -> Iterator[tarfile.TarFile]:
    try:
        with parsing(place):
            tar = tarfile.open(fileobj=stream, mode="r|")  # noqa: SIM115 - closed below
    except InputError as error:
        if not isinstance(error.__cause__, tarfile.ReadError):
            raise
        raise InputError(
            f"{place}: compressed, but not a tar archive; "
            "pack the per-rank files with tar, or unpack the file first"
        ) from error
    with tar:
        yield tar


def archive_heads(path: Path, progress: Progress) -> dict[str, bytes]:
    """Name → decompressed first bytes of each file in an archive."""
    size = path.stat().st_size
    progress.stage("Listing archive", size)
    return {
        member.name: _head(file, member.name, _Room(str(path), size))
        for member, file in _members(path, progress)
    }


def archive_files(
    path: Path, names: Collection[str], progress: Progress
) -> Iterator[tuple[str, bytes]]:
    """Name and decompressed content of the chosen files in an archive, in the archive's order."""
    size = path.stat().st_size
    progress.stage("Reading archive", size)
    room = _Room(str(path), size)
    for member, file in _members(path, progress):
        if member.name in names:
            place = f"{path.name}:{member.name}"
            yield member.name, _content(_opened(file, member.name, place, room), place, size)


def whole_file(path: Path, progress: Progress) -> bytes:
    """The content of a file, decompressed if its name ends like that of a compressed file."""
    size = path.stat().st_size
    with open_regular(path) as raw:
        counted = _guarded(raw, str(path), progress.advance)
        opened = _opened(counted, path.name, str(path), _Room(str(path), size))
        return _content(opened, str(path), size)


def unpacked(place: str, content: bytes) -> bytes:
    """Decompressed content; its first bytes tell the format. InputError names the place."""
    opener, room = _OPENERS[compression(content) or ".gz"], _Room(place, len(content))
    with parsing(place):
        file = _guarded(opener(io.BytesIO(content)), place, room.spend)
    return _content(file, place, len(content))


def _content(file: IO[bytes], place: str, packed: int) -> bytes:
    """The whole content of a file. InputError: it is too long for memory."""
    most = max(AT_ONCE, _AT_ONCE_RATIO * packed)
    kept = io.BytesIO()
    for chunk in iter(lambda: file.read(CHUNK), b""):
        kept.write(chunk)
        if kept.tell() > most:
            raise InputError(
                f"{place}: unpacks to more than {format_size(most)}; unpack it yourself and give "
                "the directory"
            )
    return kept.getvalue()


def read_archive(
    path: Path, heads: dict[str, bytes], chosen: Chosen, progress: Progress
) -> _core.Trace:
    """The trace in an archive of files, which may themselves be compressed.

    Latitude reads the archive twice: names and first bytes (`archive_heads`) tell the format, and
    the format tells which files to read.
    """
    size = path.stat().st_size
    claim = found(str(path), list(heads), heads.__getitem__)
    if claim is None:
        raise nothing_found(str(path), list(heads))
    form, parts = claim
    number_of = {name: number for number, name in enumerate(parts)}
    loader = _Loader(form, [f"{path.name}:{name}" for name in parts], chosen, size)
    progress.stage("Reading trace", size)
    room = _Room(str(path), size)
    places = parts[0][: parts[0].rfind("/") + 1] + PLACES
    kept = None
    for member, file in _members(path, progress):
        number = number_of.get(member.name)
        if number is not None:
            loader.read(number, _opened(file, member.name, f"{path.name}:{member.name}", room))
        elif member.name == places:
            kept = file.read(MOST_BYTES)
    trace = loader.finish()
    if kept is not None:
        give_places(trace, kept, f"{path.name}:{places}")
    return trace


def read_compressed_files(
    form: _core.Format, paths: list[Path], chosen: Chosen, progress: Progress
) -> _core.Trace:
    """The trace in files of a format, some of them compressed, in the format's order."""
    size = sum(path.stat().st_size for path in paths)
    loader = _Loader(form, [str(path) for path in paths], chosen, size)
    progress.stage("Reading trace", size)
    for number, path in enumerate(paths):
        with open_regular(path) as raw:
            counted = _guarded(raw, str(path), progress.advance)
            room = _Room(str(path), path.stat().st_size)
            loader.read(number, _opened(counted, path.name, str(path), room))
    return loader.finish()


def head_of_file(path: Path) -> bytes:
    """A file's first bytes, decompressed; empty if the compressed data are damaged."""
    with open_regular(path) as file:
        return _head(file, path.name, _Room(str(path), path.stat().st_size))


def _head(file: IO[bytes], name: str, room: _Room) -> bytes:
    if Path(name).suffix not in _OPENERS:
        return file.read(_HEAD)
    try:
        return _opened(file, name, name, room).read(_HEAD)
    except (InputError, OSError):
        return b""  # a reader of the file reports it


def _opened(file: IO[bytes], name: str, place: str, room: _Room) -> IO[bytes]:
    """`file`, decompressed if its name has the suffix of a compression."""
    opener = _OPENERS.get(Path(name).suffix)
    if opener is None:
        return file
    with parsing(place):
        return _guarded(opener(file), place, room.spend)


class _Loader:
    """Gives files to the core's loader of a format, in the form that the loader needs."""

    def __init__(self, form: _core.Format, names: list[str], chosen: Chosen, packed: int) -> None:
        if form.intake == _core.Intake.disk:
            raise InputError(
                f"{names[0]}: {form.name} is read from files on disk only; unpack them first"
            )
        self._takes_whole = form.intake == _core.Intake.whole
        self._packed = packed
        self._loader = form.loader(names, chosen)
        self._names = names
        self._unread = names[0] if names else ""

    def read(self, number: int, file: IO[bytes]) -> None:
        self._unread = ""
        if self._takes_whole:
            self._loader.feed(number, _content(file, self._names[number], self._packed))
            return
        for chunk in iter(lambda: file.read(CHUNK), b""):
            self._loader.feed(number, chunk)

    def finish(self) -> _core.Trace:
        if self._unread:
            raise InputError(f"{self._unread}: cannot be read from the archive; unpack it first")
        return self._loader.finish()
