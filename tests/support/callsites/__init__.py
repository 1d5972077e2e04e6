"""Programs that say where they call from, compiled in many ways."""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from latitude.trace.symbols import Location, Module, symbolise
from latitude.trace.symbols.files import build_id, open_elf
from support.paths import DATA

SOURCES = DATA / "callsites"
COMPILERS = {".c": "gcc", ".cpp": "g++", ".f90": "gfortran"}


@dataclass(frozen=True)
class Built:
    """A program that ran: its return addresses by number."""

    path: Path
    offsets: dict[int, int]

    def locations(self, *roots: Path) -> dict[int, Location]:
        """The location of each call, by number; warnings are an error here."""
        found, problems = symbolise([self.module], self.sites, roots=roots)
        assert problems.notices([self.module.path]) == []
        return dict(zip(self.offsets, found, strict=True))

    @property
    def sites(self) -> list[tuple[int, int]]:
        return [(0, offset) for offset in self.offsets.values()]

    @property
    def module(self) -> Module:
        with open_elf(self.path) as elf:
            return Module(str(self.path), build_id(elf))


def build(folder: Path, source: str, *flags: str) -> Built:
    """Compiles a source of tests/data/callsites together with `call.c`, and runs the program."""
    program = folder / Path(source).stem
    here = "call.o"
    run("gcc", "-O1", "-fPIC", "-c", SOURCES / "call.c", "-o", here, cwd=folder)
    compiler = COMPILERS[Path(source).suffix]
    run(compiler, *flags, SOURCES / source, here, "-o", program, cwd=folder)
    return Built(program, offsets_of(program))


def offsets_of(program: Path) -> dict[int, int]:
    """Runs a program: return addresses by number."""
    lines = run(program).splitlines()
    return {int(line.split()[0]): int(line.split()[1], 16) for line in lines}


def line(source: str, mark: str) -> int:
    """The line of a comment in a source file."""
    text = (SOURCES / source).read_text(encoding="utf-8").splitlines()
    pattern = re.compile(rf"(/\*|//|!) {re.escape(mark)}( \*/)?$")
    (number,) = [i for i, words in enumerate(text, 1) if pattern.search(words)]
    return number


def addr2line(debug: Path, address: int) -> list[tuple[str, int]]:
    """binutils' file and line of an address, the innermost first."""
    text = run("addr2line", "-i", "-e", debug, hex(address))
    places = [words.split(" (")[0].rsplit(":", 1) for words in text.splitlines()]
    return [(os.path.normpath(path), int(number)) for path, number in places]


def run(*command: object, cwd: Path | None = None) -> str:
    """Runs a program that must succeed; returns what it prints."""
    done = subprocess.run(
        [*map(str, command)], capture_output=True, check=False, text=True, cwd=cwd
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
