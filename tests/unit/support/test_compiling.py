"""Programs that tests compile are kept, and compiled again if they would change."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from support import compiling
from support.compiling import STRICT, built

Number = Callable[..., tuple[int, int]]


@pytest.fixture
def number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Number:
    """A program's result, which its header decides, and the time of its compilation."""
    monkeypatch.setattr(compiling, "ROOT", tmp_path)
    monkeypatch.setattr(compiling, "BUILDS", tmp_path / "programs")
    source = tmp_path / "a b.c"
    source.write_text('#include "n.h"\nint main(void) { return N; }\n')
    _said(tmp_path / "n.h", 3)

    def run(*flags: str) -> tuple[int, int]:
        program = built("number", *STRICT, *flags, source)
        status = subprocess.run([program], check=False).returncode
        return status, program.stat().st_mtime_ns

    return run


def _said(header: Path, value: int) -> None:
    """Writes a header as somebody did a while ago."""
    header.write_text(f"#ifndef N\n#define N {value}\n#endif\n")
    os.utime(header, (1, 1))


def test_nothing_is_compiled_twice(number: Number) -> None:
    assert number() == number()


def test_a_changed_header_is_compiled(number: Number, tmp_path: Path) -> None:
    """Only the header's content changes, while its time and its length stay."""
    assert number()[0] == 3
    _said(tmp_path / "n.h", 4)
    assert number()[0] == 4


def test_a_file_saved_while_it_is_compiled_is_compiled_again(
    number: Number, tmp_path: Path
) -> None:
    number()
    os.utime(tmp_path / "n.h", (2**33, 2**33))
    _, first = number("-DN=5")
    (made,) = (
        path
        for path in (tmp_path / "programs").glob("*/*.o")
        if not path.with_name(".made-of").exists()
    )
    before = made.stat().st_mtime_ns
    assert number("-DN=5") == (5, first)  # of the same object
    assert made.stat().st_mtime_ns > before


def test_other_words_make_another_program(number: Number) -> None:
    assert (number("-DN=5")[0], number()[0], number("-DN=5")[0]) == (5, 3, 5)


def test_what_does_not_compile_says_why(number: Number, tmp_path: Path) -> None:
    (tmp_path / "n.h").write_text("#error no number\n")
    for _ in range(2):
        with pytest.raises(AssertionError, match="no number"):
            number()
