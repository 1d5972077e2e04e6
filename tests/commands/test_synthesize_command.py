"""`latitude synthesize`: a folder, or a pipe."""

import io
import json
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from support.command import Run
from support.hanging import HANG_S


def test_what_it_writes_is_a_trace_like_others(tmp_path: Path, latitude: Run) -> None:
    words = ("synthesize", "wavefront", "--ranks", 12, "--operations", "6,800", "-o", "made")
    done = latitude(*words, "--compute", "10us", "--bytes", "1KiB", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == [
        f"rank-{rank:07d}.lat" for rank in range(12)
    ]
    network = ("--o", "0ns", "--G", "0ns/B", "--L", "2us")
    found = latitude("analyze", "made", *network, "--json", "-", cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    baseline = json.loads(found.stdout)["baseline"]
    assert (baseline["T_ns"], baseline["lambda_L"]) == (200 * 10e3 + 5 * 12e3, 5)


def test_a_pipe_gets_an_archive(tmp_path: Path, latitude: Run) -> None:
    words = ["synthesize", "cg", "--ranks", "2", "--operations", "1000"]
    command = [sys.executable, "-m", "latitude", *words, "-o", "-"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=HANG_S)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        assert archive.getnames() == ["rank-0000000.lat", "rank-0000001.lat"]
    assert b"2 ranks, 71 steps, 994 MPI calls" in done.stderr
    (tmp_path / "cg.tar").write_bytes(done.stdout)
    assert latitude("analyze", tmp_path / "cg.tar").returncode == 0


def test_what_exists_is_not_overwritten(tmp_path: Path, refused: Callable[..., str]) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "mine.txt").write_text("mine")
    words = ("synthesize", "halo", "--ranks", 2, "--operations", 10, "-o", "kept")
    assert "kept: exists already" in refused(*words, cwd=tmp_path)
    assert "'mine.txt', which is kept" in refused(*words, "--force", cwd=tmp_path)
    assert (tmp_path / "kept" / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--ranks", "1", "a number of ranks"),
        ("--ranks", "two", "a number of ranks"),
        ("--operations", "0", "a number of operations"),
        ("--bytes", "8", "write e.g."),
        ("--compute", "1", "write e.g."),
        ("--compute", "100s", "fewer --operations or less --compute"),
    ],
)
def test_values_that_make_no_program_are_refused(
    tmp_path: Path, refused: Callable[..., str], option: str, value: str, said: str
) -> None:
    given = {"--ranks": "2", "--operations": "1000000000", "-o": "made", option: value}
    words = [word for pair in given.items() for word in pair]
    assert said in refused("synthesize", "halo", *words, cwd=tmp_path)
    assert not (tmp_path / "made").exists()
