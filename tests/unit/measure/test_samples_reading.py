"""Samples from many tools' files; what is wrong is named with its line."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latitude import InputError
from latitude.samples import iter_samples, read_samples
from support.paths import DATA

SAMPLES = DATA / "samples"
Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def writer(text: str) -> Path:
        path = tmp_path / "samples.txt"
        path.write_text(text, encoding="utf-8")
        return path

    return writer


def values(path: Path, unit: str | None = None) -> list[float]:
    return list(read_samples(path, unit=unit)["latency_ns"])


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("1.5\n2.5\n", "us"),
        ("# unit: us\n1.5\n\n2.5\n", None),
        ("latency_us\n1.5\n2.5\n", None),
        ("Latency (us)\n1.5\n2.5\n", None),
        ("latency [usec],size\n1.5,8\n2.5,8\n", None),
        ("latency;unit\n1.5;us\n2.5;us\n", None),
        ("size\tlatency\n8\t1500\n8\t2500\n", "ns"),
        ("size latency_ms\n8 0.0015\n8 0.0025\n", None),
        ("time,rtt_us\n2026-01-01,1.5\n2026-01-02,2.5\n", None),
        ("[1.5, 2.5]", "us"),
        ('{"unit": "us", "latency": [1.5, 2.5]}', None),
        ('[{"latency_us": 1.5}, {"latency_us": 2.5}]', None),
        ('{"latency_us": 1.5}\n{"latency_us": 2.5}\n', None),
        ('{"latency": 1.5, "unit": "us"}\n{"latency": 2.5, "unit": "us"}\n', None),
        ("\ufefflatency_us\n1.5\n2.5\n", None),
    ],
)
def test_one_meaning_many_texts(write: Write, text: str, unit: str | None) -> None:
    assert values(write(text), unit) == [1500.0, 2500.0]


def test_labels_get_our_names(write: Write) -> None:
    path = write(
        "# unit: us\n# placement: same-group\noperation,message_size,np,latency,b\n"
        "bcast,8,16,1.5,0.4\nreduce,16,16,2.5,0.5\n"
    )
    frame = read_samples(path)
    assert list(frame["collective"]) == ["bcast", "reduce"]
    assert list(frame["bytes"]) == [8, 16]
    assert set(frame["placement"]) == {"same-group"}
    assert set(frame.columns) == {"latency_ns", "collective", "bytes", "ranks", "b", "placement"}
    assert list(read_samples(path, columns=["b"]).columns) == ["latency_ns", "b"]


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("", "no samples in it"),
        ("# only a comment\n", "no samples in it"),
        ("latency_us\n", "no samples in it"),
        ("1\n2\n", "no unit; pass --unit us"),
        ("latency_us\n1\nNaN\n", "line 3: the latency is missing or NaN"),
        ("latency_us,b\n1,2\n,2\n", "line 3: the latency is missing or NaN"),
        ("latency_us\n1\n\n# note\n-2\n", "line 5: the latency -2 is negative"),
        ("latency_us\n1\ninf\n", "line 3: the latency inf is infinite"),
        ("latency_ns\n1\n1e300\n", "line 3: the latency 1e+300 is over 30 years"),
        ("latency_us\n1\n2us\n", "line 3: '2us' is not a number; the unit belongs"),
        ("latency,unit\n1,us\n2,ns\n", "mixed units: line 2 says us, line 3 says ns"),
        ("# unit: ms\nlatency_us\n1\n", "mixed units: column 'latency_us' says us"),
        ("latency_us,latency_ns\n1,2\n", "'latency_us' and 'latency_ns' could both be"),
        ("a,b\n1,2\n", "no column is named latency"),
        ("1,2\n3,4\n", "2 columns without names"),
        ("latency_us,b\n1,2\n3,4,5\n", "line 3"),
        ("latency_us,b\n1,2,3\n", "samples.txt"),
        ("# unit: furlong\n1\n", "'furlong' is not a unit of time"),
        ('{"unit": "us", "latency": [1, 2], "b": [1]}', "columns of unequal length"),
        ('{"latency_us": [1, NaN]}', "sample 2: the latency is missing or NaN"),
        ('{"latency_us": 1}\n{"latency_us": -1}\n', "line 2: the latency -1 is negative"),
        ("[1, 2", "not JSON"),
    ],
)
def test_wrong_samples_are_named(write: Write, text: str, advice: str) -> None:
    with pytest.raises(InputError, match=re.escape(advice)):
        read_samples(write(text))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('"size, bytes",latency_us\n8,1\n16,2\n', {"size, bytes"}),
        ('latency_us;"a,b"\n1;2\n3;4\n', {"a,b"}),
        ('latency_us  "a, b"\n1 2\n3  4\n', {"a, b"}),
        ('"latency_us"\n1\n2\n', set()),
    ],
)
def test_marks_within_quotes_of_the_header_belong_to_names(
    write: Write, text: str, names: set[str]
) -> None:
    frame = read_samples(write(text))
    assert set(frame.columns) == {"latency_ns", *names}
    assert frame["latency_ns"].iloc[0] == 1000


@pytest.mark.parametrize("columns", [None, (), ("b",)])
@pytest.mark.parametrize(
    "text", ["latency_us,b\n1,5,0\n2,5,0\n", "latency_us,b\n1,0\n2,5,0\n", "latency_us\n1,5\n"]
)
def test_commas_within_numbers_are_never_cut_off(
    write: Write, text: str, columns: tuple[str, ...] | None
) -> None:
    """Whichever columns are asked for: 1,5 is not 1."""
    with pytest.raises(InputError, match=r"more cells than that has names|Expected 2 fields"):
        read_samples(write(text), columns=columns)


def test_unit_option_must_agree(write: Write) -> None:
    with pytest.raises(InputError, match=r"mixed units: --unit says ns, column 'latency_us'"):
        read_samples(write("latency_us\n1\n"), unit="ns")


def test_binary_and_absent_files(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    path.write_bytes(b"\x1f\x8b\0\0")
    with pytest.raises(InputError, match="compressed files unpacked"):
        read_samples(path)
    with pytest.raises(InputError, match="No such file"):
        read_samples(tmp_path / "absent.csv")


def test_perftest_takes_the_order_measured() -> None:
    frame = read_samples(SAMPLES / "ib_write_lat-U.txt")
    assert list(frame["latency_ns"]) == [1520.0, 1340.0, 9780.0, 1350.0]
    assert set(frame["bytes"]) == {2}
    assert set(frame["source"]) == {"RDMA_Write Latency Test"}


def test_perftest_without_samples(write: Write) -> None:
    text = (SAMPLES / "ib_write_lat-U.txt").read_text()
    summary = re.sub(r"(?m)^(#, usec|\d+, .*)\n", "", text)
    with pytest.raises(InputError, match="run it again with -U"):
        read_samples(write(summary))
    with pytest.raises(InputError, match="without -C"):
        read_samples(write(text.replace("usec", "cycles")))


def test_osu_are_means() -> None:
    frame = read_samples(SAMPLES / "osu_allreduce.txt")
    assert list(frame["latency_ns"]) == [4210.0, 4330.0, 5020.0]
    assert list(frame["bytes"]) == [4, 8, 1024]
    assert set(frame["collective"]) == {"allreduce"}
    assert frame.attrs["notices"][0]["code"] == "osu-averages"
    assert list(read_samples(SAMPLES / "osu_latency.txt")["bytes"]) == [0, 1]
    barrier = read_samples(SAMPLES / "osu_barrier.txt")
    assert list(barrier["latency_ns"]) == [7340.0]
    assert list(barrier.columns) == ["latency_ns", "collective"]


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "x"
    pd.DataFrame({"latency_us": [1.5, 2.5], "size": [8, 9]}).to_parquet(path)
    frame = read_samples(path)
    assert list(frame["latency_ns"]) == [1500.0, 2500.0]
    assert list(frame["bytes"]) == [8, 9]
    pd.DataFrame({"latency_us": [1.5, -1.0]}).to_parquet(path)
    with pytest.raises(InputError, match=r"row 2: the latency -1\.0 is negative"):
        read_samples(path)
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(InputError, match="not a readable Parquet file"):
        read_samples(path)


def test_pieces_are_bounded_and_complete(write: Write) -> None:
    path = write("latency_ns\n" + "\n".join(map(str, range(1000))))
    pieces = list(iter_samples(path, rows=300))
    assert [len(piece) for piece in pieces] == [300, 300, 300, 100]
    assert list(pd.concat(pieces)["latency_ns"]) == list(range(1000))
    path = write("latency_ns\n" + "\n".join(map(str, range(1000))) + "\n-1\n")
    with pytest.raises(InputError, match="line 1002: the latency -1 is negative"):
        list(iter_samples(path, rows=300))


@pytest.mark.thorough
@given(st.lists(st.floats(0, 1e12), min_size=1, max_size=50))
def test_all_formats_give_the_same(
    tmp_path_factory: pytest.TempPathFactory, numbers: list[float]
) -> None:
    directory = tmp_path_factory.mktemp("formats")
    texts = {
        "a.csv": "latency_ns\n" + "".join(f"{n!r}\n" for n in numbers),
        "a.txt": "# unit: ns\n" + "".join(f"{n!r}\n" for n in numbers),
        "a.json": json.dumps({"unit": "ns", "latency": numbers}),
        "a.jsonl": "".join(f'{{"latency_ns": {n!r}}}\n' for n in numbers),
    }
    for name, text in texts.items():
        (directory / name).write_text(text)
        expected = [number if number >= 1e-3 else 0.0 for number in numbers]
        np.testing.assert_allclose(values(directory / name), expected, rtol=1e-13, atol=0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[" * 100_000, "not JSON (nested too deeply)"),
        (f"[{'9' * 5001}]", "not JSON (Exceeds the limit"),
        ('{"latency": [1, 2], "unit": [["us"], ["us"]]}', "is not a unit of time"),
        ('[{"latency_us": 1}, 2]', "no table: "),
    ],
)
def test_damaged_json_is_one_line(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "s.json"
    path.write_text(content)
    with pytest.raises(InputError) as error:
        read_samples(path)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["s.csv", "s.parquet", "s.json"])
def test_a_pipe_holds_no_samples(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(InputError, match="is a pipe or a device"):
        read_samples(tmp_path / name)


def test_json_of_many_samples_may_be_one_line(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text(json.dumps([1.5] * 50_000))
    assert len(read_samples(path, unit="us")) == 50_000


def test_a_quote_without_an_end_is_named_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    rest = "4,b\n" * 10
    for more in (rest, rest * (1 << 21)):  # up to the file's end; and more than is read at once
        path.write_text(f'# by "hand"\nlatency_us,source\n1,"a"\n2,5" cable\n\n3,"b\n{more}')
        with pytest.raises(InputError, match=r"s.csv:6: the quote does not end; close it"):
            read_samples(path)


@pytest.mark.thorough
def test_long_lines_are_refused_where_a_piece_of_them_takes_too_much(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    long = "1," + "c" * 1_000_000 + "\n"
    path.write_text("latency_us,source\n" + "1,a\n" * 20 + long * 30)
    assert len(read_samples(path)) == 50
    path.write_text("latency_us,source\n" + "1,a\n" * 20 + long * 70)
    with pytest.raises(InputError, match=r"s.csv:2: from here on, lines are too long, or"):
        read_samples(path)
    pieces = iter_samples(path, rows=20)
    assert [len(piece) for piece in pieces] == [20, 20, 20, 20, 10]
