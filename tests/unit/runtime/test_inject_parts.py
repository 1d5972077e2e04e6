"""The injector's C sources: unit tests, warnings, and the part of UCX they declare."""

import subprocess
from pathlib import Path

import pytest

from support.compiling import INJECT, TESTS, WARNINGS, compiled

PARTS = ("../clock/clock", "table", "delay", "report", "settings", "flow/arrival", "flow/heap")
SANITIZERS = {"fast": [], "checked": ["-fsanitize=address,undefined", "-g"]}


@pytest.mark.parametrize("how", SANITIZERS)
def test_parts_do_what_they_say(tmp_path: Path, how: str) -> None:
    table = tmp_path / "table.dist"
    rows = (" ".join(str(8 * row + column) for column in range(8)) for row in range(512))
    table.write_text("\n".join(rows) + "\n")
    sources = [INJECT / f"{part}.c" for part in PARTS]
    # A sanitizer makes everything slower: there the time of a draw is not looked at.
    slow = [] if how == "fast" else ["-DUNTIMED"]
    compiled(
        "-O2", "-pthread", *SANITIZERS[how], *slow,
        TESTS / "unit.c", *sources, "-o", tmp_path / "unit", "-lm", "-ldl",
    )  # fmt: skip
    done = subprocess.run(
        [tmp_path / "unit", table], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_library_compiles_without_warnings(tmp_path: Path) -> None:
    flags = (INJECT / "FLAGS").read_text(encoding="utf-8").split()[1:]
    sources = [path for path in INJECT.rglob("*.c") if "tests" not in path.parts[-2:]]
    sources.append(INJECT.parent / "clock" / "clock.c")
    compiled(*WARNINGS, *flags, *sources, "-o", tmp_path / "libinject.so")


@pytest.mark.parametrize("layout", ["uct_layout.c", "ibv_layout.c", "ofi_layout.c"])
def test_what_is_declared_is_what_is_installed(layout: str) -> None:
    compiled(*WARNINGS, "-fsyntax-only", TESTS / layout)
