"""One file a run, whole or not at all, read as one table."""

from pathlib import Path

import pandas as pd
import pyarrow.dataset as ds
import pytest

from latitude import InputError
from latitude.samples import SampleStore, read_samples


def frame(*latencies: float, **labels: object) -> pd.DataFrame:
    return pd.DataFrame({"latency_ns": latencies, **labels})


def test_runs_are_one_table(tmp_path: Path) -> None:
    store = SampleStore(tmp_path / "runs")
    store.write("first", frame(1.0, 2.0, bytes=8))
    store.write("second", frame(3.0, b=0.5, collective="bcast"))
    assert store.runs() == ["first", "second"]
    table = store.read()
    assert list(table["latency_ns"]) == [1.0, 2.0, 3.0]
    assert list(table["source"]) == ["first", "first", "second"]
    assert table["bytes"].isna().sum() == 1
    assert list(store.read(where=ds.field("bytes") == 8)["latency_ns"]) == [1.0, 2.0]
    assert list(store.read(columns=["b", "absent"]).columns) == ["b"]
    assert list(read_samples(tmp_path / "runs", columns=["b"]).columns) == ["latency_ns", "b"]


def test_runs_are_never_lost(tmp_path: Path) -> None:
    store = SampleStore(tmp_path)
    store.write("run", frame(1.0))
    with pytest.raises(InputError, match="pass --force"):
        store.write("run", frame(2.0))
    assert list(store.read()["latency_ns"]) == [1.0]
    store.write("run", frame(2.0), force=True)
    assert list(store.read()["latency_ns"]) == [2.0]
    (tmp_path / ".half.parquet").write_bytes(b"PAR1")
    assert store.runs() == ["run"]
    assert [path.name for path in tmp_path.iterdir() if path.name[0] != "."] == ["run.parquet"]


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "a b"])
def test_names_stay_inside(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="run name"):
        SampleStore(tmp_path).write(name, frame(1.0))


def test_wrong_stores(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no \.parquet files in it"):
        read_samples(tmp_path)
    with pytest.raises(InputError, match="no column latency_ns"):
        SampleStore(tmp_path).write("x", pd.DataFrame({"a": [1]}))
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"broken|Parquet"):
        SampleStore(tmp_path).read()


def test_notices_do_not_hinder(tmp_path: Path) -> None:
    samples = frame(1.0)
    samples.attrs["notices"] = [{"code": "x"}]
    SampleStore(tmp_path).write("run", samples)
    assert list(SampleStore(tmp_path).read()["latency_ns"]) == [1.0]
