"""The door for trace formats: options, files by themselves, what is read from disk only."""

import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import latitude
from latitude import InputError, _core
from latitude.cli.main import main
from latitude.trace import archive, load
from latitude.trace.formats import chosen, formats, reading_options


def test_options_are_those_that_formats_declare(capsys: pytest.CaptureFixture[str]) -> None:
    declared = [option for form in formats() for option in form.options]
    assert [option.name for option in declared] == list(reading_options())
    with pytest.raises(SystemExit):
        main(["analyze", "--help"])
    text = capsys.readouterr().out
    for option in declared:
        assert f"--{option.name}" in text
        assert option.name in str(latitude.load.__doc__)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"mip": "mpich"}, TypeError, "unexpected keyword argument 'mip'; the formats know"),
        ({"mpi": True}, TypeError, "mpi takes one of detect, openmpi, mpich"),
        ({"incomplete": "yes"}, TypeError, "incomplete takes True or False"),
        ({"mpi": "lam"}, InputError, "unknown mpi 'lam'; use one of detect, openmpi, mpich"),
        ({"clock": "sun"}, InputError, "unknown clock 'sun'; use one of auto, wall, cpu"),
    ],
)
def test_what_no_format_knows_is_refused(
    lulesh: Path, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as raised:
        latitude.load(lulesh, **options)
    assert str(raised.value).startswith(message)


def test_choices_as_the_core_takes_them() -> None:
    assert chosen({"mpi": "mpich", "incomplete": False}) == {"mpi": "mpich"}
    assert chosen({"incomplete": True}) == {"incomplete": "yes"}


@dataclass
class _OneFile:
    """A format whose traces are one file, which is read from disk."""

    trace: _core.Trace
    name = "one"
    one_file = True
    intake = _core.Intake.disk

    def begins(self, head: bytes) -> bool:
        return head.startswith(b"ONE")

    def beside(self, _file: str) -> list[str]:
        return []

    def read(self, paths: list[str], _chosen: dict[str, str], _threads: int) -> _core.Trace:
        self.paths = paths
        return self.trace


def test_a_format_of_one_file_is_given_by_that_file(
    tmp_path: Path, lulesh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = _OneFile(load.load_trace(lulesh))
    monkeypatch.setattr(load, "formats", lambda: (form,))
    path = tmp_path / "run.one"
    path.write_bytes(b"ONE")
    assert latitude.load(path).ranks == 8
    assert form.paths == [str(path)]


def test_what_is_read_from_disk_only_is_not_read_from_an_archive(
    tmp_path: Path, lulesh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = _OneFile(load.load_trace(lulesh))
    monkeypatch.setattr(archive, "found", lambda *_: (form, ["run.one"]))
    (tmp_path / "run.one").write_bytes(b"ONE")
    path = tmp_path / "run.tar"
    with tarfile.open(path, "w") as tar:
        tar.add(tmp_path / "run.one", "run.one")
    with pytest.raises(InputError, match=r"run\.one: one is read from files on disk only; unpack"):
        latitude.load(path)
