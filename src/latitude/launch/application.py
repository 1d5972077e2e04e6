"""The program that a command line starts, and its MPI."""

import os
import re
import shlex
import shutil
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.files.reading import open_regular, parsing, read_bytes
from latitude.launch.ask import ask
from latitude.launch.mpi import MPICH, OPENMPI, STANDARD

# The pattern does not match the C++ and Fortran layers (libmpi_cxx, libmpi_mpifh), which load this
# library.
_LIBRARY = re.compile(
    r"^\s*(libmpi(?:ch|_abi|_cray\w*|_gnu\w*|_intel\w*)?\.so[.\d]*) => (/\S+)", re.MULTILINE
)
_LINKED = re.compile(r"^\s*\S+ => (/\S+)", re.MULTILINE)
_SANITIZER = re.compile(r"lib(clang_rt\.)?(asan|hwasan|lsan|tsan)\b")
_OPENMPI_PARTS = ("libopen-pal.so", "libopen-rte.so")
_ELF = b"\x7fELF"
_STATIC = ("not a dynamic executable", "statically linked")
"""Output of ldd for a static program, and for a position-independent static program."""
_LONGEST_SCRIPT = 1 << 18


@dataclass(frozen=True, slots=True)
class Application:
    """A compiled program."""

    path: Path
    libmpi: Path | None
    """The MPI library that the loader finds; None if the program is not linked to MPI."""
    abi: str
    """Binary interface of that library, as in `mpi`; empty if not known."""
    static: bool
    """Whether the program is linked statically, so that nothing can be preloaded."""
    privileged: bool
    """Whether the program is set-user-ID, set-group-ID or has capabilities, so that the loader
    ignores LD_PRELOAD.
    """
    sanitizer: Path | None = None
    """The sanitizer's runtime to which the program is linked; it must be loaded first."""


def application(command: Sequence[str]) -> Application | None:
    """The first compiled program that is linked to MPI, among the words of `command`.

    Launchers have hundreds of options and are not linked to MPI. So Latitude examines all words,
    including those of scripts, and does not interpret options. If no program is linked to MPI, the
    result is a program into which nothing can be preloaded, because this explains an empty trace.
    None if there is no such program either.
    """
    hindered = None
    for word in dict.fromkeys(words(command)):
        path = _executable(word)
        if path is None:
            continue
        found = _read(path)
        if found.libmpi is not None:
            return found
        if found.static or found.privileged:
            hindered = found
    return hindered


def words(command: Sequence[str]) -> Iterator[str]:
    """The words of a command, words inside them (`sh -c '…'`) and inside scripts that it names."""
    yield from command
    for word in command:
        if any(letter.isspace() for letter in word):
            yield from _split(word)
        else:
            yield from _split(_script(word))


def _split(text: str) -> Iterator[str]:
    try:
        yield from shlex.split(text, comments=True)
    except ValueError:  # an apostrophe, as in text that is not a script
        yield from text.split()


def _script(word: str) -> str:
    """The text of a script; empty for a very long script, or any other file."""
    path = Path(word)
    try:
        if path.is_file() and path.stat().st_size <= _LONGEST_SCRIPT:
            content = read_bytes(path, _LONGEST_SCRIPT)
            if content.startswith(b"#!") or path.suffix == ".sh":
                return content.decode(errors="replace")
    except (OSError, InputError):
        pass
    return ""


def _executable(word: str) -> Path | None:
    found = shutil.which(word) if word and not word.startswith("-") else None
    if found is None:
        return None
    try:
        with open_regular(Path(found)) as file:
            return Path(found) if file.read(4) == _ELF else None
    except (OSError, InputError):
        return None


def _read(path: Path) -> Application:
    linked = ask(["ldd", path])
    libmpi, abi = _mpi_of(linked.text)
    return Application(
        path=path,
        libmpi=libmpi,
        abi=abi,
        static=any(words in linked.text for words in _STATIC),
        privileged=_privileged(path),
        sanitizer=_sanitizer_of(linked.text),
    )


def begins_by_sessions(path: Path) -> bool:
    """Whether a program calls MPI_Session_init, and never MPI_Init (MPI 4.1 §11.3)."""
    # Slow to import, and seldom needed.
    from elftools.elf.sections import SymbolTableSection  # noqa: PLC0415

    from latitude.trace.symbols.files import open_elf  # noqa: PLC0415

    try:
        with open_elf(path) as elf, parsing(str(path), "damaged"):
            table = elf.get_section_by_name(".dynsym")
            if not isinstance(table, SymbolTableSection):
                return False
            names = {symbol.name for symbol in table.iter_symbols()}
    except (OSError, InputError):
        return False
    return "MPI_Session_init" in names and not names & {"MPI_Init", "MPI_Init_thread"}


def is_sanitizer(name: str) -> bool:
    """Whether a library is a sanitizer's runtime."""
    return _SANITIZER.match(name) is not None


def _sanitizer_of(linked: str) -> Path | None:
    found = (Path(path) for path in _LINKED.findall(linked))
    return next((path for path in found if is_sanitizer(path.name)), None)


def _privileged(path: Path) -> bool:
    if path.stat().st_mode & (stat.S_ISUID | stat.S_ISGID):
        return True
    try:
        return bool(os.getxattr(path, "security.capability"))
    except OSError:
        return False


def _mpi_of(linked: str) -> tuple[Path | None, str]:
    match = _LIBRARY.search(linked)
    if match is None:
        return None, ""
    return Path(match[2]).resolve(), _abi(match[1], linked)


def _abi(name: str, linked: str) -> str:
    if name.startswith("libmpi_abi"):
        return STANDARD
    # The name is ambiguous: libmpi.so.12 is Open MPI 1.10, MPICH or Intel MPI.
    return OPENMPI if any(part in linked for part in _OPENMPI_PARTS) else MPICH
