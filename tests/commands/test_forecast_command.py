"""`latitude forecast` as people use it."""

import json
import os
import re
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import plotly.graph_objects as go
import pytest
from pyarrow import parquet

import latitude as package
from latitude.cli.main import main
from latitude.random.forecast import Question, Random, forecast, parse_latency
from latitude.render.document import charts
from latitude.render.documents.forecasts import forecast_document
from support.command import LATITUDE, Run, begun
from support.hanging import HANG_S
from support.schemas import document

LATENCY = ("--latency", "lognormal(mean=5us,sd=10us)")


@pytest.fixture(scope="module")
def done(latitude: Run, lulesh: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("forecast") / "out"
    run = latitude(
        "forecast", lulesh, *LATENCY, "--tolerance", "5%,20%", "--samples", "500", "-o", directory
    )
    assert run.returncode == 0, run.stderr
    assert "Under this latency the program takes" in run.stdout
    assert "Tolerated with probability 95%" in run.stdout
    assert str(directory / "forecast.html") in run.stdout
    return directory


def test_json_follows_its_schema(done: Path) -> None:
    data = document((done / "forecast.json").read_text("utf-8"))
    assert data["samples"] == 500
    assert data["compared"]["jensen_ns"]["low"] > 0
    mean = data["runtime"]["mean_ns"]
    assert data["compared"]["T0_ns"] < data["compared"]["T_mean_latency_ns"] < mean["low"]
    assert mean["high"] < data["bounds"]["never_more_than_ns"]
    assert [t["degradation"] for t in data["tolerance"]] == [0.05, 0.2]
    for tolerance in data["tolerance"]:
        assert tolerance["scaled"]["mean_ns"] < tolerance["constant_ns"]
        assert tolerance["scaled"]["share_within"]["value"] >= 0.95
    assert 0 < data["pairs"][0]["share"] <= 1


def test_page_is_whole(done: Path, lulesh: Path) -> None:
    page = (done / "forecast.html").read_text("utf-8")
    for words in ("Runtime", "Chance of taking longer", "Who decides", "Tolerated", "samples.csv"):
        assert words in page
    assert not re.search(r"(src|href)=[\"']?http", page.split("<script")[0])
    result = forecast(
        package.load(lulesh), Random(parse_latency(LATENCY[1])), question=Question(samples=100)
    )
    made = charts(forecast_document(result).parts)
    assert [chart.id for chart in made] == ["runtime", "distribution", "pairs", "latency"]
    for chart in made:
        go.Figure(chart.figure)  # plotly refuses what it does not know
        assert chart.reading


def test_samples_are_kept_and_gone_on_with(
    latitude: Run, refused: Callable[..., str], done: Path, lulesh: Path, tmp_path: Path
) -> None:
    kept = parquet.read_table(done / "samples").to_pandas().sort_values("sample")
    assert kept["sample"].tolist() == list(range(500))
    half = tmp_path / "half"
    shutil.copytree(done / "samples", half / "samples")
    assert "--resume" in refused("forecast", lulesh, *LATENCY, "-o", half)
    anew = latitude("forecast", lulesh, *LATENCY, "--samples", "20", "-o", half, "--force")
    assert anew.returncode == 0, anew.stderr
    assert len(parquet.read_table(half / "samples")) == 20
    other = ("--latency", "constant(5us)", "-o", done, "--force", "--resume")
    assert "another forecast" in refused("forecast", lulesh, *other)
    more = latitude(
        "forecast", lulesh, *LATENCY, "--samples", "700", "-o", done, "--force", "--resume"
    )
    assert more.returncode == 0, more.stderr
    fresh = tmp_path / "fresh.json"
    run = latitude("forecast", lulesh, *LATENCY, "--samples", "700", "--json", fresh)
    assert run.returncode == 0, run.stderr
    resumed = json.loads((done / "forecast.json").read_text("utf-8"))
    whole = json.loads(fresh.read_text("utf-8"))
    for field in ("runtime", "quantiles", "distribution", "criticality", "pairs"):
        assert resumed[field] == whole[field]


def test_a_killed_run_loses_at_most_a_batch(latitude: Run, lulesh: Path, tmp_path: Path) -> None:
    directory = tmp_path / "out"
    command = ["forecast", str(lulesh), *LATENCY, "--samples", "10000000", "-o", str(directory)]
    with begun([*LATITUDE, *command], os.environ) as run:
        deadline = time.monotonic() + HANG_S
        while len(list(directory.glob("samples/*.parquet"))) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        run.send_signal(signal.SIGKILL)
    table = parquet.read_table(directory / "samples").to_pandas().sort_values("sample")
    count = len(table)
    assert table["sample"].tolist() == list(range(count))
    again = latitude("forecast", *command[1:4], "--samples", count, "--resume", "-o", directory)
    assert again.returncode == 0, again.stderr
    result = forecast(
        package.load(lulesh), Random(parse_latency(LATENCY[1])), question=Question(samples=count)
    )
    found = json.loads((directory / "forecast.json").read_text("utf-8"))
    assert found["runtime"] == json.loads(result.to_json())["runtime"]


def test_interrupting_says_how_to_go_on(lulesh: Path, tmp_path: Path) -> None:
    directory = tmp_path / "out"
    command = ["forecast", str(lulesh), *LATENCY, "--samples", "10000000", "-o", str(directory)]
    with begun([*LATITUDE, *command], os.environ) as run:
        deadline = time.monotonic() + HANG_S
        while not list(directory.glob("samples/*.parquet")):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        _, errors = run.communicate(timeout=HANG_S)
    assert run.returncode == 130
    assert "--resume" in errors


def refusal(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main(["forecast", *map(str, arguments)]) == 2
    return capsys.readouterr().err


def test_options_that_make_no_sense_are_refused(
    capsys: pytest.CaptureFixture[str], lulesh: Path, tmp_path: Path
) -> None:
    assert "--latency" in refusal(capsys, lulesh)
    both = ("--samples", "5", "--precision", "1%")
    assert "exclude" in refusal(capsys, lulesh, *LATENCY, *both)
    assert "whole number" in refusal(capsys, lulesh, *LATENCY, "--samples", "many")
    empty = tmp_path / "file"
    empty.write_text("")
    assert "directory" in refusal(capsys, lulesh, *LATENCY, "-o", empty)
    nobody = ("--dask", "tcp://127.0.0.1:1")
    assert "no Dask scheduler" in refusal(capsys, lulesh, *LATENCY, *nobody)


@pytest.mark.thorough
def test_a_dask_cluster_gives_the_same_numbers(
    latitude: Run, lulesh: Path, dask: str, tmp_path: Path
) -> None:
    asked = ("forecast", lulesh, *LATENCY, "--samples", "900", "--noise", "5%", "--where", "sender")
    here, there = tmp_path / "here.json", tmp_path / "there.json"
    for extra in (("--json", here), ("--json", there, "--dask", dask)):
        run = latitude(*asked, *extra)
        assert run.returncode == 0, run.stderr
    one, other = (json.loads(path.read_text("utf-8")) for path in (here, there))
    for field in ("runtime", "quantiles", "distribution", "compared", "pairs"):
        assert one[field] == other[field]


@pytest.mark.thorough
def test_a_history_of_the_cluster_is_a_latency(
    capsys: pytest.CaptureFixture[str], lulesh: Path, tmp_path: Path
) -> None:
    past = tmp_path / "past.parquet"
    assert main(["background", "synthetic", "-o", str(past), "--iterations", "30"]) == 0
    asked = (lulesh, "--background", past, "--of", "reduce", "--size", "1MiB", "--samples", "200")
    means = []
    for b in ("0.3", "0.7"):
        capsys.readouterr()
        assert main(["forecast", *map(str, asked), "--at", b, "--json", "-"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert f"b = {b}" in found["random"]["latency"]["text"]
        means.append(found["runtime"]["mean_ns"]["value"])
    assert means[0] < means[1]
    assert "--at" in refusal(capsys, *asked)
    assert "--of" in refusal(capsys, lulesh, "--background", past, "--at", "0.3")
