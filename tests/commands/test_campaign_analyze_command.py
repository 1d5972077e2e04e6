"""`latitude campaign analyze`: from a directory of runs to page, JSON and CSV."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from latitude.experiments.record import run_file, write_run
from latitude.lab.campaign.directory import Directory
from latitude.lab.campaign.plan import plan
from latitude.lab.campaign.read import read_campaign
from latitude.results.runs import RunRecord as Recorded
from support.command import Run
from support.schemas import document
from support.synthetic_campaign import Maker, Model, design


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign of 17 levels × 4 repetitions, one run failed."""
    root = tmp_path_factory.mktemp("campaign")
    runs = Maker(4).runs([Model("halo", a=800, b=2500)], design())
    runs.loc[5, ["status", "runtime_ns", "error"]] = ["timeout", None, "longer than 60 s"]
    for index, row in runs.iterrows():
        values: dict[str, Any] = {
            str(key): None if pd.isna(value) else value for key, value in row.items()
        }
        run = Recorded(**{**values, "run_id": f"r{index}", "messages": 1000})
        assert write_run(run_file(root, run.run_id), run, {"version": "test"})
    return root


def test_a_directory_becomes_page_json_and_csv(
    latitude: Run, directory: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = latitude("campaign", "analyze", directory, "-o", out)
    assert (done.returncode, done.stderr) == (0, "")
    assert "halo’s runtime correlates more with the variation of latency than with its mean." in (
        done.stdout
    )
    assert "longer than 60 s" in done.stdout
    assert "Williams p" in done.stdout
    content = document((out / "campaign.json").read_text("utf-8"))
    assert (content["attempts"], content["done"]) == (68, 67)
    assert len((out / "campaign.csv").read_text("utf-8").splitlines()) == 69
    assert "Suite II" in (out / "campaign.html").read_text("utf-8")
    again = latitude("campaign", "analyze", directory, "-o", out)
    assert again.returncode == 2
    assert "campaign.html: exists already" in again.stderr


def test_the_json_goes_to_standard_output_alone(latitude: Run, directory: Path) -> None:
    done = latitude("campaign", "analyze", directory, "--json", "-")
    assert json.loads(done.stdout)["programs"][0]["answer"]["closer_with"] == "spread"


def test_what_is_wrong_is_said_in_a_line(latitude: Run, directory: Path, tmp_path: Path) -> None:
    empty = latitude("campaign", "analyze", tmp_path)
    assert empty.returncode == 2
    assert "no runs in it; `latitude campaign run` makes them" in empty.stderr
    nameless = latitude("campaign", "analyze", directory, "--trace", "halo")
    assert nameless.returncode == 2
    assert "'halo' names no program; write e.g. halo=traces/halo" in nameless.stderr
    unknown = latitude("campaign", "analyze", directory, "--trace", "lu=somewhere")
    assert unknown.returncode == 2
    assert "unknown program 'lu' in this campaign, but halo" in unknown.stderr


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign's file, its directory with plan and tables, and runs that pay each message."""
    root = tmp_path_factory.mktemp("planned")
    file = root / "chain.toml"
    file.write_text(_CHAIN)
    found = plan(read_campaign(file))
    directory = Directory.prepared(found, changed=False)
    row = Maker(1).runs([Model("chain")], design()).iloc[0].to_dict()
    rows = {str(key): value for key, value in row.items()}
    for run in found.runs:
        level = run.level
        values = {
            **rows,
            "run_id": run.id,
            "program": "chain",
            "ranks": 2,
            "level": level.name,
            "family": level.family,
            "kind": level.kind,
            "layer": level.layer,
            "asked_mean_ns": level.mean_ns,
            "asked_sd_ns": level.sd_ns,
            "achieved_mean_ns": None,
            "achieved_sd_ns": None,
            "late_mean_ns": None,
            "load": level.load,
            "repetition": run.repetition,
            "order": run.order,
            "runtime_ns": (8e3 + level.mean_ns) * (1 + 0.001 * run.repetition),
            "b_before": None,
            "b_after": None,
            "messages": None,
        }
        write_run(run_file(directory.path, run.id), Recorded(**values), {"version": "test"})
    (root / "chain.goal").write_text(
        "num_ranks 2\nrank 0 {\ns: send 8b to 1 tag 0\n}\nrank 1 {\nr: recv 8b from 0 tag 0\n}\n"
    )
    return file


_CHAIN = """\
[campaign]
name = "chain"
repetitions = 2

[[programs]]
name = "chain"
launch = "true"

[[levels]]
latency = "none"

[[levels]]
family = "lognorm(s=1.2,loc=20us,scale=200us)"
loads = ["20%", "70%"]
"""


@pytest.mark.thorough
def test_a_campaigns_file_and_a_trace_give_predictions(
    latitude: Run, planned: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    trace = planned.parent / "chain.goal"
    network = ("--L", "6us", "--o", "1us")
    done = latitude(
        "campaign", "analyze", planned, "--trace", f"chain={trace}", *network, "-o", out
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "Measured, and predicted from a trace" in done.stdout
    found = json.loads((out / "campaign.json").read_text("utf-8"))["programs"][0]["predicted"]
    assert (found["where"], found["L_ns"], round(found["reference_ns"])) == ("flow", 6000, 8000)
    steady = [level for level in found["levels"] if level["level"].endswith("constant")]
    assert len(steady) == 2
    assert all(abs(level["error"]) < 0.002 for level in steady)


def test_a_campaign_without_runs_is_predicted_from_traces(
    latitude: Run, planned: Path, tmp_path: Path
) -> None:
    file = tmp_path / "later.toml"
    file.write_text(planned.read_text("utf-8"))
    trace = planned.parent / "chain.goal"
    network = ("--L", "6us", "--o", "1us")
    asked = ("campaign", "analyze", file, "--trace", f"chain={trace}", *network)
    done = latitude(*asked, "-o", tmp_path / "out")
    assert done.returncode == 0
    assert "no run has been made" in " ".join(done.stdout.split())
    content = document((tmp_path / "out" / "campaign.json").read_text("utf-8"))
    assert (content["attempts"], content["done"]) == (22, 22)
    assert content["programs"][0]["reference_ns"] == pytest.approx(8000, rel=1e-4)
    refused = latitude("campaign", "analyze", file, "--trace", f"lu={trace}")
    assert "unknown program 'lu' in this campaign, but chain" in refused.stderr
