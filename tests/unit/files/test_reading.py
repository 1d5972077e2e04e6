"""Files that are opened, the amount that is read, and errors of libraries."""

import json
import os
from pathlib import Path

import pytest

from latitude import InputError
from latitude.files.reading import (
    Lines,
    TooLongError,
    json_value,
    lines_of,
    open_regular,
    parsing,
    read_bytes,
    read_text,
)


def test_a_pipe_is_refused_without_waiting_for_its_writer(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match=r"^[^:']*: is a pipe or a device, not a regular file"):
        open_regular(pipe)


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "/dev/tty"])
def test_a_device_is_refused(path: str) -> None:
    with pytest.raises(InputError, match="is a pipe or a device"):
        read_bytes(Path(path), 10)


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a directory"):
        read_bytes(tmp_path, 10)


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_a_name_that_no_file_has(name: str) -> None:
    with pytest.raises(InputError, match="not a valid file name"):
        open_regular(Path(name))


def test_a_file_of_the_most_bytes_is_read_and_a_longer_one_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 1024)
    assert read_bytes(path, 1024) == b"x" * 1024
    with pytest.raises(InputError, match="longer than 1,023 B"):
        read_bytes(path, 1023)


def test_text_that_is_not_utf_8_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes("µ\n".encode() + b"\n\xff\n")
    with pytest.raises(InputError, match=":3: not text in UTF-8"):
        read_text(path, 100)
    assert read_text(path, 100, errors="replace") == "µ\n\n\ufffd\n"


@pytest.mark.parametrize(
    "error", [RecursionError(), MemoryError(), OverflowError("too\nlarge"), KeyError(3), EOFError()]
)
def test_whatever_a_library_raises_is_one_line(error: BaseException) -> None:
    with pytest.raises(InputError) as told, parsing("file", "damaged"):
        raise error
    assert str(told.value).startswith("file: ")
    assert "\n" not in str(told.value)


def test_errors_of_the_disk_and_interruptions_pass() -> None:
    with pytest.raises(OSError, match="I/O"), parsing("file"):
        raise OSError(5, "I/O error")
    with pytest.raises(KeyboardInterrupt), parsing("file"):
        raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1,\n}", "here:2: not JSON: Expecting value"),
        ("9" * 5001, "here: not JSON (Exceeds the limit"),
        ("[" * 100_000, "here: not JSON (nested too deeply)"),
        (b'"\xff"', "here: not JSON ('utf-8' codec"),
    ],
)
def test_json_that_is_none(text: str | bytes, said: str) -> None:
    with pytest.raises(InputError) as error:
        json_value(text, "here")
    assert str(error.value).startswith(said)


def test_json_that_is_some() -> None:
    assert json_value(json.dumps({"a": [1, None]}), "here") == {"a": [1, None]}


def test_lines_have_a_longest_and_files_a_most(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\xef\xbb\xbfa\r\n\nb")
    assert list(lines_of(path)) == ["a", "", "b"]
    with pytest.raises(InputError, match="longer than 7 B; split it"):
        list(lines_of(path, most=7))
    path.write_bytes(b"a\n" + b"x" * ((1 << 20) + 1))
    with pytest.raises(InputError, match=":2: a line longer than 1 MiB"):
        list(lines_of(path))
    path.write_bytes(b"a\n\xff\n")
    with pytest.raises(InputError, match=":2: not text in UTF-8"):
        list(lines_of(path))


def test_a_parser_gets_lines_of_a_mebibyte_and_no_longer_ones(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    most = b"x" * (1 << 20)
    path.write_bytes(most + b"\na\n" + most + b"\n\n" + most)
    with Lines(path, 4 << 20) as file:
        assert file.read() == path.read_bytes()
    for content, line in ((most + b"x", 1), (most + b"\n\n" + most + b"x\n", 3)):
        path.write_bytes(content)
        with (
            pytest.raises(InputError, match=rf"long.txt:{line}: a line longer than 1 MiB$"),
            Lines(path, 4 << 20) as file,
        ):
            file.read()


def test_a_parser_that_gives_nothing_back_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"1\n" * (3 << 19))
    with Lines(path, 2 << 20) as file:
        assert len(file.read(3 << 19)) == 3 << 19
        file.mark()
        assert len(file.read()) == 3 << 19
    with (
        pytest.raises(TooLongError, match=r"a.txt: more than 2 MiB at once"),
        Lines(path, 2 << 20) as file,
    ):
        file.read()
