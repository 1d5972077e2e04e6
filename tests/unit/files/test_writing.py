"""Files are whole or not there, however the process ends."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from latitude._core import InputError
from latitude.files.writing import (
    replace_directory,
    replace_with,
    whole_files,
    write_first,
    write_new,
)

WRITES = """
import os, sys, time
from pathlib import Path
from latitude.files.writing import replace_directory, replace_with

def fill(path):
    if path.is_dir():
        path = path / "part.txt"
    path.write_text("half")
    print(len(list(Path(sys.argv[1]).iterdir())), flush=True)
    for _ in range(10_000):  # a signal right before a sleep is heard after it
        time.sleep(0.01)

if sys.argv[2] == "file":
    replace_with(Path(sys.argv[1]) / "report.html", fill, force=False)
else:
    replace_directory(Path(sys.argv[1]) / "out", ["*.txt"], fill, force=False)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("what", ["file", "directory"])
def test_a_signal_leaves_no_temporary_files(
    tmp_path: Path, what: str, number: signal.Signals
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITES, tmp_path, what],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"1\n"
        child.send_signal(number)
        assert child.wait() == -number
    assert list(tmp_path.iterdir()) == []


def test_the_temporary_file_lies_beside_its_target_and_has_its_suffix(tmp_path: Path) -> None:
    made: list[Path] = []

    def write(path: Path) -> None:
        made.append(path)
        path.write_text("x")

    replace_with(tmp_path / "run.mps", write, force=False)
    assert (made[0].parent, made[0].suffix) == (tmp_path, ".mps")
    replace_directory(tmp_path / "folder", [], made.append, force=False)
    assert made[1].parent == tmp_path


def test_a_file_that_is_being_written_is_not_listed(tmp_path: Path) -> None:
    seen: list[list[Path]] = []
    target = tmp_path / "20261127.job"

    def write(path: Path) -> None:
        path.write_text("12")
        assert list(tmp_path.glob("*.job")) == [path]
        seen.append(whole_files(tmp_path, "*.job"))

    write_new(tmp_path / "20261127.json", "{}", force=False)
    replace_with(target, write, force=False)
    assert seen == [[]]
    assert whole_files(tmp_path, "*.job") == [target]


def test_results_may_be_read_by_whom_the_umask_lets(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_new(tmp_path / "a.json", "{}", force=False)
        write_first(tmp_path / "b.json", Path.touch)
        replace_directory(tmp_path / "c", [], lambda _: None, force=False)
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert modes == {"a.json": 0o640, "b.json": 0o640, "c": 0o750}


@pytest.mark.parametrize("name", [f"{'a' * 250}.goal", "µ" * 127, f"a.{'b' * 253}"])
def test_every_name_that_a_file_can_have_can_be_written(tmp_path: Path, name: str) -> None:
    write_new(tmp_path / name, "x", force=False)
    assert write_first(tmp_path / name, Path.touch) is False
    assert [path.name for path in tmp_path.iterdir()] == [name]
    replace_directory(tmp_path / f"{name[:-1]}c", [], lambda _: None, force=False)


def test_a_directory_with_a_foreign_file_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.txt").touch()
    with pytest.raises(InputError, match=r"holds 'notes.txt', which is kept"):
        replace_directory(tmp_path / "out", ["*.csv"], Path.touch, force=True)
    replace_directory(tmp_path / "out", ["*.txt"], Path.touch, force=True)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_pipe_is_filled_and_stays(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe.txt", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    # A writer that renames a file of its own over what it is given, as that of GOAL does.
    (tmp_path / "own").write_text("x")
    replace_with(pipe, (tmp_path / "own").replace, force=False)
    reader.join()
    assert read == [b"x"]
    assert pipe.is_fifo()


def test_an_error_names_the_target(tmp_path: Path) -> None:
    def refuse(path: Path) -> None:
        raise InputError(f"{path}: full")

    with pytest.raises(InputError) as caught:
        replace_with(tmp_path / "a.goal", refuse, force=False)
    assert str(caught.value) == f"{tmp_path / 'a.goal'}: full"
    assert list(tmp_path.iterdir()) == []


def test_the_first_of_a_name_stays(tmp_path: Path) -> None:
    path = tmp_path / "made" / "a"
    assert write_first(path, lambda target: target.write_text("first"))
    assert not write_first(path, lambda target: target.write_text("second"))
    assert path.read_text() == "first"
    with pytest.raises(InputError, match="cannot be written"):
        write_first(path / "below", Path.touch)
