"""The C sources of runtime/, built with a clock in which time passes only as a test says.

The output of a program is data: events, with their times in ns. Nothing here depends on how busy
the machine is.
"""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from latitude.launch import declared
from support.compiling import written
from support.paths import RUNTIME

CLOCK = RUNTIME / "clock" / "tests" / "virtual_clock.c"
"""The source that replaces runtime/clock/clock.c."""


def flags(room: str) -> list[str]:
    """The compiler's options for a library or the programs, as on a user's machine."""
    return shlex.split((RUNTIME / room / "FLAGS").read_text(encoding="utf-8"))


def declared_flags(mpicc: str) -> list[object]:
    """The compiler's options for the functions that an MPI declares."""
    with tempfile.TemporaryDirectory() as scratch:
        *flags, header = declared.flags(RUNTIME / "tracer", mpicc, Path(scratch))
        text = Path(header).read_text(encoding="utf-8")
    return [*flags, written("declared.h", text)]


def sources(*rooms: str) -> list[Path]:
    """The C files of directories, but for tests."""
    found = (path for room in rooms for path in (RUNTIME / room).rglob("*.c"))
    return sorted(path for path in found if "tests" not in path.relative_to(RUNTIME).parts)


def ran(
    program: Path,
    *words: object,
    environment: dict[str, str] | None = None,
    complaint: str = "",
) -> list[str]:
    """The lines a program prints; it must succeed, and complain only of what is expected."""
    done = subprocess.run(
        [program, *map(str, words)],
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, **(environment or {})},
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(complaint) if complaint else done.stderr == ""
    return done.stdout.splitlines()
