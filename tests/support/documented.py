"""Examples in README and the documentation: run as printed, and compared with the page.

An example is a fenced block of shell lines (`sh`), of lines and what they print (`console`, with
`$` before each line), or of Python. A comment directly above states the exceptions:

    <!-- example: not run, WHY -->      what it needs is not there (a cluster, an hour)
    <!-- example: numbers vary -->      words are compared, numbers are not

`…` stands for any words. Numbers agree within 1 %: they depend on the versions of SciPy and HiGHS.
Versions of programs (1.15.1) are those of the machine: any agrees with any.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from support.command import for_shells
from support.hanging import HANG_S
from support.paths import EXAMPLES, ROOT

SKIPPED = "not run, "
VARY = "numbers vary"
RUN = ("sh", "console", "python")
_BLOCK = re.compile(
    r"(?:^<!-- example: (?P<mark>.+?) -->\n+)?"
    r"^```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_FILE = re.compile(r"# ([\w-]+\.toml)\n")
"""The first line of a block that is a file which other examples name."""
_NUMBER = re.compile(r"^([+\-−±(]*)(\d[\d,]*(?:\.\d*)?(?:e[+\-−]?\d+)?)(?=\D*$)")
_VERSION = re.compile(r"(?<![\d.])\d+\.\d+\.\d+(?!\.?\d)")
_DATE = re.compile(r"(?<!\S)\d{4}-\d\d-\d\d(?!\S)")
_ANY = "…"
_ALL = re.compile("")
_NEAR = 0.01


@dataclass(frozen=True)
class Example:
    """One block of a page."""

    page: str
    line: int
    language: str
    text: str
    mark: str

    @property
    def skipped(self) -> str:
        """Why it is not run here; empty where it is."""
        return self.mark.removeprefix(SKIPPED) if self.mark.startswith(SKIPPED) else ""

    def steps(self) -> Iterator[tuple[str, str | None]]:
        """Lines for a shell, and what they print; None where that is not said."""
        if self.language != "console":
            yield self.text, None
            return
        joined = self.text.replace("\\\n", "\\\0")
        parts = re.split(r"^\$ (.*)\n", joined, flags=re.MULTILINE)
        assert not parts[0], f"{self}: a line to type begins with $"
        for line, printed in zip(parts[1::2], parts[2::2], strict=True):
            yield line.replace("\0", "\n"), printed.replace("\0", "\n")

    def only(self, lines: re.Pattern[str]) -> "Example":
        """The matching lines, if these are lines for a shell."""
        if self.language != "sh":
            return self
        kept = [line for line in self.text.splitlines(keepends=True) if lines.match(line)]
        return replace(self, text="".join(kept))

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def examples(page: str) -> list[Example]:
    """All blocks of a page, in its order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [
        Example(
            page,
            text.count("\n", 0, found.start("language")) + 1,
            found["language"],
            found["text"],
            found["mark"] or "",
        )
        for found in _BLOCK.finditer(text)
    ]


def pages() -> list[str]:
    """README and the documentation, relative to the project."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [str(path.relative_to(ROOT)) for path in found]


class Session:
    """A page's examples, one after the other, in a directory with what they name."""

    def __init__(self, directory: Path, environment: Mapping[str, str]) -> None:
        self._directory = directory
        programs = directory / "bin"
        programs.mkdir()
        self.hurry({})
        (directory / "examples").symlink_to(EXAMPLES)
        self._environment = {
            "COLUMNS": "110",
            "LANG": "C.UTF-8",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            **environment,
            "HOME": str(directory),
            "PATH": f"{programs}:{environment['PATH']}",
        }

    def hurry(self, options: Mapping[str, str]) -> None:
        """Gives commands, by their names, options before those that a page has.

        The examples run as on the page, but in a shorter time.
        """
        cases = [
            f'"{command} "*) shift {len(command.split())}; set -- {command} {given} "$@" ;;'
            for command, given in options.items()
        ]
        start = f'exec {for_shells()} "$@"'
        self.program("latitude", "\n".join(['case "$* " in', *cases, "esac", start]))

    def program(self, name: str, line: str) -> None:
        """A program that the examples find before others of its name."""
        path = self._directory / "bin" / name
        path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        path.chmod(0o755)

    def run_page(self, page: str, lines: re.Pattern[str] = _ALL) -> str:
        """Runs the examples of a page that can run here, with the files on that page.

        With `lines` only the blocks with a line that begins so, and only these lines of blocks for
        a shell. Returns the output.
        """
        found = [each.only(lines) for each in examples(page)]
        for example in found:
            name = _FILE.match(example.text) if example.language == "toml" else None
            if name is not None:
                (self._directory / name[1]).write_text(example.text, encoding="utf-8")
        wanted = [each for each in found if each.language in RUN and not each.skipped]
        chosen = [each for each in wanted if any(map(lines.match, each.text.splitlines()))]
        return "".join(map(self.run, chosen))

    def run(self, example: Example) -> str:
        """Runs one example and returns its output; AssertionError if it fails, or differs."""
        printed = []
        for line, stated in example.steps():
            shell = ["/bin/bash", "-e", "-o", "pipefail", "-c", line]
            words = [sys.executable, "-c", line] if example.language == "python" else shell
            done = subprocess.run(
                words,
                cwd=self._directory,
                env=self._environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
                encoding="utf-8",
                timeout=HANG_S * len(line.splitlines()),
            )
            assert done.returncode == 0, f"{example}: {line}\n{done.stdout}"
            if stated is not None:
                wrong = difference(stated, done.stdout, numbers=example.mark != VARY)
                assert not wrong, f"{example}: {line}\n{wrong}\n\n{done.stdout}"
            printed.append(done.stdout)
        return "".join(printed)


def difference(stated: str, printed: str, *, numbers: bool) -> str:
    """The difference between printed text and the page's; empty if they agree.

    The ends of lines and the widths of columns depend on terminal and numbers, so words are
    compared. One version, and one day, is as good as another.

    Args:
        stated: by the page.
        printed: by the command.
        numbers: also compared.
    """
    stated, printed = (
        _DATE.sub("a day", _VERSION.sub("a version", text)) for text in (stated, printed)
    )
    got = printed.split()
    pieces = [piece.split() for piece in f" {stated} ".split(_ANY)]
    at = 0
    for index, piece in enumerate(pieces):
        last = index == len(pieces) - 1
        if index == 0 or not piece:
            starts: Sequence[int] = [at]
        elif last:
            starts = [len(got) - len(piece)]
        else:
            starts = range(at, len(got))
        matching = (start for start in starts if _alike(piece, got[start:], numbers=numbers))
        start = next(matching, None)
        if start is None or start < at:
            return f"not printed: {' '.join(piece)}\nprinted: {' '.join(got[at:])}"
        at = start + len(piece)
    if len(pieces) == 1 and at < len(got):
        return f"also printed: {' '.join(got[at:])}"
    return ""


def _alike(stated: Sequence[str], printed: Sequence[str], *, numbers: bool) -> bool:
    return len(printed) >= len(stated) and all(
        one == other or _near(one, other, numbers=numbers)
        for one, other in zip(stated, printed, strict=False)
    )


def _near(one: str, other: str, *, numbers: bool) -> bool:
    """Whether two words are one number, written with the same signs and units."""
    found, met = _NUMBER.match(one), _NUMBER.match(other)
    if found is None or met is None or one[found.end() :] != other[met.end() :]:
        return False
    if not numbers:
        return True
    if found[1] != met[1]:
        return False
    value, other_value = (
        float(each[2].replace("−", "-").replace(",", "").rstrip(".")) for each in (found, met)
    )
    return abs(value - other_value) <= _NEAR * max(value, other_value)
