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
    words = ("synthesize", "wavefront", "--ranks", 12, "--calls", "6,800", "-o", "made")
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
    words = ["synthesize", "cg", "--ranks", "2", "--calls", "1000"]
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
    words = ("synthesize", "halo", "--ranks", 2, "--calls", 10, "-o", "kept")
    assert "kept: exists already" in refused(*words, cwd=tmp_path)
    assert "'mine.txt', which is kept" in refused(*words, "--force", cwd=tmp_path)
    assert (tmp_path / "kept" / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize("name", ["tree.goal", "tree.bin", "-"])
def test_a_collective_of_nccl_is_a_graph_like_others(
    tmp_path: Path, latitude: Run, name: str
) -> None:
    words = ("synthesize", "nccl", "--algorithm", "tree", "--ranks", 16, "--channels", 2)
    done = latitude(*words, "-o", name, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "16 ranks, 120 operations, 60 messages" in done.stderr
    path = tmp_path / name
    if name == "-":
        path = tmp_path / "piped.goal"
        path.write_text(done.stdout)
    network = ("--o", "0ns", "--G", "0ns/B", "--L", "2us", "--S", "1MiB")
    found = latitude("analyze", path, *network, "--json", "-", cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["baseline"]["lambda_L"] == 8


@pytest.mark.parametrize(
    ("size", "words", "taken"),
    [
        ("8B", (), "tree by ll,"),
        ("1GiB", (), "ring by simple,"),
        ("8B", ("--algorithm", "ring"), "ring by ll,"),
        ("1GiB", ("--protocol", "ll128"), "ring by ll128,"),
    ],
)
def test_nccl_chooses_by_its_cost_model(
    tmp_path: Path, latitude: Run, size: str, words: tuple[str, ...], taken: str
) -> None:
    given = ("--ranks", 32, "--ranks-per-node", 8, "--bytes", size, "--nccl", "2.30", *words)
    done = latitude("synthesize", "nccl", *given, "-o", "made.bin", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"NCCL 2.30 takes {taken}" in done.stderr


MODEL = ("synthesize", "llm", "--layers", 4, "--hidden", 512, "--heads", 8, "--sequence", 128)


@pytest.mark.parametrize(
    "divided",
    [
        ("--tp", 2, "--pp", 2, "--dp", 2),
        ("--dp", 4, "--ep", 2, "--experts", 8, "--channels", 2),
        ("--pp", 4, "--ranks-per-node", 1, "--nccl", "2.19", "--gpu", "ampere"),
    ],
)
def test_a_training_step_is_a_graph_like_others(
    tmp_path: Path, latitude: Run, divided: tuple[object, ...]
) -> None:
    done = latitude(*MODEL, *divided, "-o", "made.bin", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "One training step of 4 layers of 512" in done.stderr
    network = ("--o", "0ns", "--L", "2us", "--S", "1MiB")
    found = latitude("analyze", "made.bin", *network, "--json", "-", cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["baseline"]["lambda_L"] > 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--tp", "3"), "8 heads cannot be divided evenly by --tp 3"),
        (("--pp", "3"), "4 layers cannot be divided evenly by --pp 3"),
        (("--dp", "2", "--ep", "2"), "add --experts N"),
        ((), "it has to be from 2 to 4,096"),
        (("--tp", "8", "--microbatches", "10000", "--dp", "512"), "take fewer layers"),
        (("--tp", "2", "--microbatches", "0"), "a number of microbatches"),
        (("--tp", "2", "--channel-bandwidth", "20"), "20GB/s"),
    ],
)
def test_what_is_no_training_step_is_refused(
    tmp_path: Path, refused: Callable[..., str], words: tuple[str, ...], said: str
) -> None:
    assert said in refused(*map(str, MODEL), *words, "-o", "made.bin", cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--ranks", "8", "--nccl", "2.30", "--algorithm", "a", "-o", "a.goal"), "it has ring"),
        (("--ranks", "8", "--channel-bandwidth", "0", "-o", "a.goal"), "write e.g. 20GB/s"),
        (("--ranks", "1", "-o", "a.goal"), "a number of ranks"),
        (("--ranks", "8", "-o", "a.txt"), "name it .goal for GOAL text or .bin for GOAL binary"),
        (("--ranks", "8", "--algorithm", "nvls", "-o", "a.goal"), "it has ring, tree"),
        (("--ranks", "8", "--root", "8", "-o", "a.goal"), "the last is 7"),
        (("--ranks", "8", "--channels", "65", "-o", "a.goal"), "a number of channels"),
        (("--ranks", "64", "--bytes", "99999GiB", "-o", "a.goal"), "take fewer bytes"),
    ],
)
def test_what_is_no_collective_is_refused(
    tmp_path: Path, refused: Callable[..., str], words: tuple[str, ...], said: str
) -> None:
    assert said in refused("synthesize", "nccl", *words, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--ranks", "1", "a number of ranks"),
        ("--ranks", "two", "a number of ranks"),
        ("--calls", "0", "a number of calls"),
        ("--bytes", "8", "write e.g."),
        ("--compute", "1", "write e.g."),
        ("--compute", "100s", "fewer --calls or less --compute"),
    ],
)
def test_values_that_make_no_program_are_refused(
    tmp_path: Path, refused: Callable[..., str], option: str, value: str, said: str
) -> None:
    given = {"--ranks": "2", "--calls": "1000000000", "-o": "made", option: value}
    words = [word for pair in given.items() for word in pair]
    assert said in refused("synthesize", "halo", *words, cwd=tmp_path)
    assert not (tmp_path / "made").exists()
