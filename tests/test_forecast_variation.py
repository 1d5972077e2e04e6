"""The experiment of [U] on execution graphs."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest

import latitude as package
from conftest import Run
from latitude.forecast import Random, parse_latency
from latitude.forecast.variation import LEVELS, RUNS, Study, design, study
from latitude.forecast.variation_charts import charts
from latitude.forecast.variation_page import p_text
from latitude.network import Network

ASKED = "lognormal(mean=20us,sd=20us)"


@pytest.fixture(scope="module")
def lulesh_study(lulesh: Path) -> Study:
    latency = parse_latency(ASKED)
    return study(package.load(lulesh), Network(), Random(latency), design(latency))


def test_the_design_has_equal_means_and_rising_variation() -> None:
    treatments = design(parse_latency(ASKED))
    assert len(treatments) == 5 * LEVELS
    for level in range(1, LEVELS + 1):
        own = [t.latency for t in treatments if t.level == level]
        means, sds = [s.mean for s in own], [s.sd for s in own]
        assert means == pytest.approx([20_000 * level / LEVELS] * 5, rel=1e-3)
        assert sds == sorted(sds)
        assert sds[0] == 0
        assert sds[1] == pytest.approx(20_000 * level / LEVELS, rel=0.02)


def test_runtime_goes_with_variation(lulesh_study: Study) -> None:
    found = lulesh_study.compared
    assert found is not None
    assert found.mean.n == 5 * LEVELS * RUNS == 960
    assert 0.5 < found.mean.r < found.std.r < 1
    assert found.fisher.p < 0.05
    assert found.dependent is not None
    assert found.dependent.williams_p < 0.05
    for level in range(1, LEVELS + 1):
        slower = [
            lulesh_study.slowdown(level, name)
            for name in ("constant", "lognormal-100", "lognormal-50", "lognormal-25")
        ]
        assert slower == sorted(slower)
        assert slower[0] > 1


def test_treatments_have_random_numbers_of_their_own(lulesh_study: Study) -> None:
    first, second = lulesh_study.runs[1].T_ns, lulesh_study.runs[6].T_ns
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.7


def test_a_program_that_latency_cannot_change_has_no_correlation(tmp_path: Path) -> None:
    path = tmp_path / "alone.goal"
    path.write_text("num_ranks 1\nrank 0 {\na: calc 1000\n}\n")
    latency = parse_latency(ASKED)
    found = study(package.load(path), Network(), Random(latency), design(latency))
    assert found.compared is None
    assert found.worst() == 1


def test_charts_can_be_drawn(lulesh_study: Study) -> None:
    made = charts([lulesh_study])
    assert len(made) == 6
    for chart in made:
        go.Figure(chart.figure)
        assert "Fig." in chart.note


def test_p_values_however_small_can_be_read() -> None:
    assert p_text(-148.28) == "5.2e-149"
    assert p_text(-1.5) == "0.032"


def test_command(
    latitude: Run, refused: Callable[..., str], lulesh: Path, two_ranks: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    asked = ("forecast", lulesh, two_ranks, "--suite", "variation", "--latency", ASKED, "-o", out)
    done = latitude(*asked)
    assert done.returncode == 0, done.stderr
    assert "lulesh-8-i20-s8" in done.stdout
    data = json.loads((out / "variation.json").read_text("utf-8"))
    assert data["schema"] == "latitude.variation/1"
    assert len(data["treatments"]) == 5 * LEVELS == len(data["programs"][0]["runs_ns"])
    with (out / "variation.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 960
    again = latitude(
        "stats", "correlate", out / "variation.csv", "--x", "mean_ns", "--x", "sd_ns",
        "--y", "runtime_ns", "--by", "program", "--json", "-",
    )  # fmt: skip
    assert again.returncode == 0, again.stderr
    assert f"{data['programs'][0]['compared']['r_std']['r']:.6f}"[:6] in again.stdout
    assert "exists already" in refused(*asked)
    assert "does not vary" in refused(*asked[:5], "--latency", "constant(5us)", "--force")
