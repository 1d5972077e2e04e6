"""`latitude forecast … --suite variation`."""

import csv
import json
import re
from pathlib import Path

import pytest

from support.command import Run
from support.schemas import document


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A fork-join of 6 and a program that only computes."""
    directory = tmp_path_factory.mktemp("programs")
    root = "\n".join(f"r{i}: recv 8b from {i} tag 0" for i in range(1, 7))
    ranks = [f"rank 0 {{\n{root}\n}}"]
    ranks += [f"rank {i} {{\ns: send 8b to 0 tag 0\n}}" for i in range(1, 7)]
    join, mute = directory / "join.goal", directory / "mute.goal"
    join.write_text("num_ranks 7\n" + "\n".join(ranks) + "\n")
    mute.write_text("num_ranks 1\nrank 0 {\nc: calc 5000\n}\n")
    return [join, mute]


def test_several_programs_are_compared(latitude: Run, programs: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = ("--samples", 60, "--latency", "lognorm(s=0.2,scale=20us)", "-o", out)
    done = latitude("forecast", *programs, "--suite", "variation", *options)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"with its mean in 1 of 2 programs", done.stdout)
    assert re.search(r"^mute +– +–", done.stdout, re.MULTILINE)
    page = (out / "variation.html").read_text("utf-8")
    for text in ("Table 4 of Underwood et al.", "Figs. 11 and 12", "5.24e-148", "join", "mute"):
        assert text in page
    content = document((out / "variation.json").read_text("utf-8"))
    assert content["random"]["where"] == "sender"
    rows = list(csv.DictReader((out / "variation.csv").read_text("utf-8").splitlines()))
    assert len(rows) == 2 * 40 * 60
    assert {row["program"] for row in rows} == {"join", "mute"}
    again = latitude("forecast", *programs, "--suite", "variation", "-o", out)
    assert again.returncode == 2
    assert "variation.html" in again.stderr


def test_options_reach_the_suite(latitude: Run, programs: list[Path]) -> None:
    options = ("--where", "flow", "--seed", 7, "--samples", 2, "--json", "-")
    latency = ("--latency", "lognorm(s=0.4,loc=1us,scale=2us)")
    done = latitude("forecast", programs[0], "--suite", "variation", *options, *latency)
    content = json.loads(done.stdout)
    assert (content["random"]["where"], content["random"]["seed"]) == ("flow", 7)
    assert content["design"]["text"] == latency[1]
    assert [len(runs) for runs in content["programs"][0]["T_ns"]] == [2] * 40
    repeated = latitude("forecast", programs[0], "--suite", "variation", *options, *latency)
    assert json.loads(repeated.stdout)["programs"] == content["programs"]


def test_what_the_suite_does_not_do_is_refused(latitude: Run, programs: list[Path]) -> None:
    done = latitude("forecast", programs[0], "--suite", "variation", "--precision", "1%")
    assert done.returncode == 2
    assert "--precision has no meaning with --suite variation" in done.stderr
    done = latitude("forecast", programs[0], programs[0], "--suite", "variation")
    assert done.returncode == 2
    assert "two inputs are called join" in done.stderr
    done = latitude("forecast", programs[0], "--suite", "variation", "--latency", "constant(1us)")
    assert done.returncode == 2
    assert "does not vary" in done.stderr
