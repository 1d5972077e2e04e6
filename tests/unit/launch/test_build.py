"""Files in the cache are whole, or built again."""

import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from latitude.launch import build
from latitude.launch.sources import Sources

COMPILER = f"""#!{sys.executable}
import pathlib, sys, time
log = pathlib.Path(__file__).with_name("built")
with log.open("a") as file:
    file.write("once\\n")
target = pathlib.Path(sys.argv[sys.argv.index("-o") + 1])
with target.open("wb") as file:
    for _ in range(8):
        file.write(b"part of a library")
        file.flush()
        time.sleep(0.01)
"""
CONTENT = b"part of a library" * 8


class Compiler:
    """A stand-in for a compiler wrapper."""

    def __init__(self, mpicc: Path) -> None:
        self.mpicc, self.abi = mpicc, ""


@pytest.fixture
def made(tmp_path: Path) -> tuple[Compiler, Sources, Path]:
    mpicc = tmp_path / "mpicc"
    mpicc.write_text(COMPILER)
    mpicc.chmod(mpicc.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "FLAGS").write_text("-shared")
    return Compiler(mpicc), Sources(tmp_path, ()), tmp_path / "cache" / "libx.so"


def built(made: tuple[Compiler, Sources, Path]) -> int:
    """Has it built if need be; how often the compiler has run so far."""
    compiler, sources, path = made
    assert build.ensure_built(path, "x", sources, compiler) == path  # type: ignore[arg-type]
    assert path.read_bytes() == CONTENT
    return len((compiler.mpicc.parent / "built").read_text().splitlines())


@pytest.mark.parametrize("damaged", [b"", CONTENT[:-1], CONTENT[:-1] + b"!", CONTENT + b"\0"])
def test_a_library_that_is_not_what_was_built_is_built_anew(
    made: tuple[Compiler, Sources, Path], damaged: bytes
) -> None:
    assert (built(made), built(made)) == (1, 1)
    made[2].write_bytes(damaged)
    assert (built(made), built(made)) == (2, 2)
    made[2].with_name("libx.so.sha256").unlink()
    assert (built(made), built(made)) == (3, 3)


def test_eight_at_once_build_it_whole_and_once(made: tuple[Compiler, Sources, Path]) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: built(made), range(8))) == {1}
