from functools import partial
from pathlib import Path

import pytest

from latitude.cli.outputs import Outputs
from latitude.render.document import Document, File

FILES = {"sums.json": "{}", "sums.csv": "a\n", "rows.csv": "b\n"}


def document(*names: str) -> Document:
    files = [File(name, partial(str, FILES[name])) for name in names]
    return Document("toy", "There are two.", "sums", files=files)


def outputs(directory: Path) -> Outputs:
    return Outputs(directory, None, None, force=True, names=("sums.json", "sums.csv"))


def test_files_of_the_document_are_written_and_those_it_lacks_removed(tmp_path: Path) -> None:
    for files in (("sums.json", "sums.csv"), ("sums.json",)):
        outputs(tmp_path).give(document(*files))
        assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
            name: FILES[name] for name in files
        }


def test_no_file_of_the_document_is_left_out_without_a_word(tmp_path: Path) -> None:
    more = document(*FILES)
    with pytest.raises(ValueError, match=r"not among the files of the command: \['rows\.csv'\]"):
        outputs(tmp_path).give(more)
    assert list(tmp_path.iterdir()) == []
    outputs(tmp_path).give(more, elsewhere=["rows.csv"])
    assert {path.name for path in tmp_path.iterdir()} == {"sums.json", "sums.csv"}
