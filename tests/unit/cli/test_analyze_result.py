"""`latitude analyze` of a result: it is shown again."""

import shutil
from pathlib import Path

import pytest

from latitude.cli.main import main
from support.html import is_whole
from support.paths import EXAMPLES

GOAL = str(EXAMPLES / "two-ranks.goal")


def analysed(folder: Path) -> Path:
    """The result that -o wrote."""
    assert main(["analyze", GOAL, "--L", "2us", "-o", str(folder)]) == 0
    return folder


def test_a_result_is_shown_as_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = analysed(tmp_path / "one")
    first = capsys.readouterr().out
    again = tmp_path / "again"
    assert main(["analyze", str(result), "-o", str(again)]) == 0
    said = capsys.readouterr()
    assert said.out == first.replace(str(result), str(again))
    assert "the page has no timelines" in said.err
    files = {path.name: path.read_text() for path in result.iterdir()}
    shown = {path.name: path.read_text() for path in again.iterdir()}
    page = shown.pop("report.html")
    assert is_whole(page)
    assert len(page) < len(files.pop("report.html"))
    assert shown == files
    assert main(["analyze", str(result / "analysis.json"), "--json", "-"]) == 0
    assert capsys.readouterr().out == (result / "analysis.json").read_text()


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--L", "3us", "--tolerance", "1%"], "--L, --tolerance"),
        (["--compare", "L=1us,2us"], "--compare"),
        (["--stream"], "--stream"),
        (["--perfetto", "run.json"], "--perfetto"),
    ],
)
def test_other_questions_need_the_trace(
    words: list[str], named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = analysed(tmp_path / "one")
    assert main(["analyze", str(result), *words]) == 2
    error = capsys.readouterr().err
    assert "is a result, which Latitude only shows" in error
    assert all(name in error for name in named.split(", "))


def test_a_trace_beside_its_result_is_analysed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.unpack_archive(EXAMPLES / "lulesh-8-i20-s8.tar.xz", tmp_path)
    (trace,) = {file.parent for file in tmp_path.rglob("*") if file.is_file()}
    assert main(["analyze", str(trace), "-o", str(trace), "--without", "waits"]) == 0
    capsys.readouterr()
    assert main(["analyze", str(trace), "--L", "3us", "--without", "waits"]) == 0
    assert "L = 3 µs" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["analyze"], ["check", "--tolerance", "1ns at 1%"]])
def test_a_trace_without_times_is_told_from_a_result(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "et.json"
    file.write_text('{"schema": "1.0.2-chakra.0.0.4", "nodes": []}')
    assert main([words[0], str(file), *words[1:]]) == 2
    assert "execution trace of PyTorch or Chakra" in capsys.readouterr().err
