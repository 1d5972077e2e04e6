"""C sources, compiled for tests.

Each object, library and program is made once and kept below `build/programs` of the checkout. It is
made again when its words, its compiler or a file that it was made of has changed, so what is kept
is what a compiler would make now.
"""

import fcntl
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path

from support.paths import ROOT, RUNTIME

INJECT = RUNTIME / "inject"
TESTS = INJECT / "tests"
CC = os.environ.get("CC", "cc")
STRICT = ("-std=gnu11", "-Wall", "-Wextra", "-Wconversion", "-Werror")
"""Options for compiling our own sources."""

BUILDS = ROOT / "build" / "programs"
"""Folder of builds by tests, and by commands in tests."""
_SOURCES = {".c", ".S", ".f90"}
_LINKED = re.compile(r"-l|-L|-Wl,|-shared$|-rdynamic$|-static$|[^-].*\.so\b")
"""Words that matter only where objects are linked."""
_READ = ("CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH")
"""Variables in which compilers look for files."""


def built(
    name: str, *words: object, compiler: str = CC, environment: Mapping[str, str] = os.environ
) -> Path:
    """The file that `COMPILER WORDS -o NAME` makes; sources among the words are paths."""
    sources = [word for word in words if isinstance(word, Path) and word.suffix in _SOURCES]
    flags = [word for word in words if word not in sources]
    objects = [
        built_object(source, *flags, compiler=compiler, environment=environment)
        for source in sources
    ]

    def link(part: Path) -> list[Path]:
        _run([compiler, *objects, *flags, "-o", part], part.parent, environment)
        return [*objects, *(word for word in flags if isinstance(word, Path))]

    key = ("link", *_identity(compiler, environment), *objects, *flags)
    return _kept(name, key, link)


def built_object(
    source: Path, *flags: object, compiler: str = CC, environment: Mapping[str, str] = os.environ
) -> Path:
    """The object file of one source, whatever it will be linked with."""
    flags = tuple(flag for flag in flags if not _LINKED.match(str(flag)))

    def compile_it(part: Path) -> list[Path]:
        words = [compiler, *flags, "-c", source, "-o", part]
        if source.suffix == ".f90":
            _run(words, part.parent, environment)
            return [source]
        told = part.with_suffix(".d")
        _run([*words, "-MD", "-MF", told], part.parent, environment)
        _, _, read = told.read_text(encoding="utf-8").replace("\\\n", " ").partition(": ")
        return [part.parent / word for word in shlex.split(read)]

    key = ("compile", *_identity(compiler, environment), *flags, source)
    return _kept(f"{source.stem}.o", key, compile_it)


def beside(library: Path) -> tuple[Path, str]:
    """The words that link a shared library, which is found where it is now."""
    return library, f"-Wl,-rpath,{library.parent}"


def written(name: str, text: str) -> Path:
    """A file with this text, which is a part of its path: for sources that tests make."""

    def write(part: Path) -> list[Path]:
        part.write_text(text, encoding="utf-8")
        return []

    return _kept(name, ("text", text), write)


PARTS = ("../clock/clock", "table", "delay", "report", "settings", "flow/arrival", "flow/heap")


def unit_tests(directory: Path, *options: str) -> list[Path]:
    """The injector's unit tests, compiled, as words that run each."""
    table = directory / "table.dist"
    rows = (" ".join(str(8 * row + column) for column in range(8)) for row in range(512))
    table.write_text("\n".join(rows) + "\n")
    sources = [INJECT / f"{part}.c" for part in PARTS]
    words = ("-std=gnu11", "-O2", "-pthread", *options, TESTS / "unit.c", *sources)
    return [built("unit", *words, "-lm", "-ldl"), table]


def _kept(name: str, key: Iterable[object], make: Callable[[Path], list[Path]]) -> Path:
    """The file of this name and key; `make` writes it under another name and tells what it read.

    If several processes need the same file, one makes the file, and the others wait.
    """
    state = hashlib.sha256("\0".join(map(str, key)).encode()).hexdigest()[:16]
    path = BUILDS / state / name
    path.parent.mkdir(parents=True, exist_ok=True)
    record = path.with_name(".made-of")
    with path.with_name(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (path.exists() and _unchanged(record)):
            record.unlink(missing_ok=True)
            begun = time.time_ns()
            part = path.with_name(f"part-{name}")
            read = make(part)
            part.replace(path)
            # What somebody has saved meanwhile may not be what the compiler has read.
            if all(file.stat().st_mtime_ns < begun for file in read):
                found = {str(file): _digest(file) for file in read}
                record.write_text(json.dumps(found), encoding="utf-8")
    return path


def _unchanged(record: Path) -> bool:
    try:
        found = json.loads(record.read_text(encoding="utf-8"))
        return all(_digest(Path(file)) == digest for file, digest in found.items())
    except FileNotFoundError:
        return False


def _digest(path: Path) -> str:
    return _computed_digest(path) if path.is_relative_to(ROOT) else _known_digest(path)


def _computed_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


_known_digest = cache(_computed_digest)
"""Digests of system headers, which do not change during tests."""


def _identity(compiler: str, environment: Mapping[str, str]) -> list[str]:
    """Text that distinguishes a compiler and its settings from others."""
    path = shutil.which(compiler) or compiler
    return [path, *_shown(path), *(environment.get(name, "") for name in _READ)]


@cache
def _shown(path: str) -> list[str]:
    """A compiler's digest; where it wraps another one, the line it runs and the other's digest."""
    answer = subprocess.run([path, "-show"], capture_output=True, check=False, encoding="utf-8")
    shown = answer.stdout if answer.returncode == 0 else ""
    wrapped = filter(None, map(shutil.which, shlex.split(shown)[:1]))
    return [_digest(Path(path)), shown, *(_digest(Path(other)) for other in wrapped)]


def _run(words: Iterable[object], directory: Path, environment: Mapping[str, str]) -> None:
    command = list(map(str, words))
    done = subprocess.run(
        command,
        cwd=directory,
        env=environment,
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stderr}"
