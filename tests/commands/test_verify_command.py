"""`latitude verify`: results of analyze proved anew, exit statuses, and the certificate."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import highspy
import numpy as np
import pytest

from support.command import Run
from support.oracle.traces import ARCHIVES
from support.paths import EXAMPLES
from support.schemas import document

GOAL = EXAMPLES / "two-ranks.goal"
LARGE = ("BIG-npb-lu.A-8", "hpcg-8-n8")
"""Half a minute of processor time each."""


@pytest.fixture(scope="module")
def result(latitude: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An analysis.json."""
    directory = tmp_path_factory.mktemp("result")
    done = latitude("analyze", GOAL, "--limit", "20us", "-o", directory)
    assert done.returncode == 0, done.stderr
    return directory / "analysis.json"


def changed(result: Path, directory: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """A result with something else in it."""
    found = json.loads(result.read_text())
    change(found)
    (directory / "analysis.json").write_text(json.dumps(found))
    return directory / "analysis.json"


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--L", "1.3us", "--o", "0.7us", "--G", "0.1ns/B", "--S", "0", "--rendezvous", "put"),
        ("--gap", "both", "--g", "0.3us", "--O", "0.03ns/B", "--compute-scale", "0.3"),
        ("--ranks-per-node", "2", "--intra", "L=0.4us,G=0.05ns", "--sweep", "L:intra"),
        ("--topology", "fat-tree:k=4,tiers=2", "--l-wire", "274ns", "--d-switch", "108ns"),
        ("--sweep", "G=0.01ns:1ns", "--collective", "allreduce=ring"),
        ("--sweep", "o", "--tolerance", "3%,10%", "--limit", "1s"),
        ("--latency", "1us:9us", "--what-if", "balanced"),
    ],
)
def test_what_analyze_says_is_proved(
    options: tuple[str, ...], latitude: Run, tmp_path: Path
) -> None:
    trace = EXAMPLES / "lulesh-8-i20-s8.tar.xz"
    done = latitude("analyze", trace, *options, "--json", tmp_path / "found.json")
    assert done.returncode == 0, done.stderr
    done = latitude("verify", tmp_path / "found.json", "--json", "-")
    assert done.returncode == 0, done.stdout
    found = document(done.stdout)
    assert found["rejections"] == []
    assert found["proofs"] > 2 * found["corners"]
    assert all(claim["largest_difference"] <= claim["allowed"] for claim in found["claims"])
    largest = max(claim["allowed"] for claim in found["claims"] if claim["unit"] == "ns")
    assert largest <= 4 * 0.5  # ns: a sum of four numbers


def test_a_demo_is_proved(latitude: Run, tmp_path: Path) -> None:
    done = latitude("demo", "--collective", "allreduce=ring", "-o", tmp_path)
    assert done.returncode == 0, done.stderr
    assert latitude("verify", tmp_path).returncode == 0


@pytest.mark.traces
@pytest.mark.usefixtures("traces")
@pytest.mark.parametrize("name", sorted(ARCHIVES.keys() - set(LARGE)))
def test_results_of_real_traces_are_proved(name: str, latitude: Run, tmp_path: Path) -> None:
    done = latitude("analyze", ARCHIVES[name], "-o", tmp_path)
    assert done.returncode == 0, done.stderr
    done = latitude("verify", tmp_path)
    assert done.returncode == 0, done.stdout


def test_a_changed_result_is_rejected(latitude: Run, result: Path, tmp_path: Path) -> None:
    path = changed(result, tmp_path, lambda found: found["baseline"].update(T_ns=14_101.054))
    done = latitude("verify", path, "--json", "-")
    assert done.returncode == 1
    found = document(done.stdout)
    first, *_ = found["rejections"]
    assert (first["claim"], first["stated"], first["unit"]) == ("baseline.T_ns", 14_101.054, "ns")
    assert first["exact"] == pytest.approx(14_100.054, abs=1e-9)
    assert found["rejected"] == sum(claim["rejected"] for claim in found["claims"])


def test_a_result_of_another_network_is_rejected(
    latitude: Run, result: Path, tmp_path: Path
) -> None:
    """The command is what a result is of: with another one, the numbers are others'."""

    def other(found: dict[str, Any]) -> None:
        found["provenance"]["command"] += " --o 4us"

    done = latitude("verify", changed(result, tmp_path, other), "--json", "-")
    assert done.returncode == 1
    rejected = {each["claim"] for each in document(done.stdout)["rejections"]}
    assert {"model.o_ns", "baseline.T_ns", "tolerance.value", "curve.T_ns"} <= rejected


def test_an_input_that_was_moved(
    latitude: Run, refused: Callable[..., str], result: Path, tmp_path: Path
) -> None:
    moved = tmp_path / "moved.goal"
    shutil.copy(GOAL, moved)

    def elsewhere(found: dict[str, Any]) -> None:
        made = found["provenance"]
        made["command"] = made["command"].replace(str(GOAL), str(tmp_path / "gone.goal"))

    path = changed(result, tmp_path, elsewhere)
    assert "say where it is with --input" in refused("verify", path)
    assert latitude("verify", path, "--input", moved).returncode == 0
    moved.write_text(GOAL.read_text().replace("calc 100", "calc 101"))
    assert "not the input of this result" in refused("verify", path, "--input", moved)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("python script.py", "verify knows the options of"),
        ("latitude run -- true", "verify knows the options of"),
        ("latitude", "verify knows the options of"),
        ("", "verify knows the options of"),
        ("latitude analyze --help", "analyses nothing"),
        ("latitude analyze --version", "of other options"),
        ("latitude analyze x.goal --replay", "the engine say"),
        ("latitude analyze x.goal --compare allreduce=ring,reduce-bcast", "a comparison"),
        ("latitude analyze x.goal --nonsense", "of other options"),
        ("latitude analyze 'x.goal", "no line of a shell"),
        ("latitude analyze gone.goal", "say where it is with --input"),
    ],
)
def test_results_of_other_commands_are_refused(
    command: str, why: str, refused: Callable[..., str], result: Path, tmp_path: Path
) -> None:
    path = changed(result, tmp_path, lambda found: found["provenance"].update(command=command))
    assert why in refused("verify", path)


def test_what_is_no_result_is_refused(
    refused: Callable[..., str], result: Path, tmp_path: Path
) -> None:
    assert "not a result of latitude analyze" in refused("verify", GOAL)
    assert "No such file" in refused("verify", tmp_path / "none.json")

    def without(found: dict[str, Any]) -> None:
        del found["curve"]

    assert "make it anew" in refused("verify", changed(result, tmp_path, without))

    def uneven(found: dict[str, Any]) -> None:
        found["curve"]["T_ns"].pop()

    assert "differ in length" in refused("verify", changed(result, tmp_path, uneven))
    assert "name it .mps or .lp" in refused("verify", result, "--certificate", tmp_path / "x.txt")


def test_the_certificate_may_lie_in_another_file_system(
    result: Path, latitude: Run, elsewhere: Path
) -> None:
    done = latitude("verify", result, "--certificate", elsewhere / "proof.mps")
    assert done.returncode == 0, done.stderr
    assert {path.name for path in elsewhere.iterdir()} == {"proof.mps", "proof.sol"}


@pytest.mark.parametrize("suffix", [".mps", ".lp"])
def test_highs_accepts_the_certificate(latitude: Run, tmp_path: Path, suffix: str) -> None:
    """Its start times satisfy every inequality, its duals are a path, and both are T."""
    trace, file = EXAMPLES / "lulesh-8-i20-s8.tar.xz", tmp_path / f"proof{suffix}"
    assert latitude("analyze", trace, "-o", tmp_path).returncode == 0
    T = json.loads((tmp_path / "analysis.json").read_text())["baseline"]
    done = latitude("verify", tmp_path, "--certificate", file, "--json", "-")
    assert done.returncode == 0, done.stderr
    found = document(done.stdout)["certificate"]
    assert found["iterations"] == 0
    assert found["T_ns"] == pytest.approx(T["T_ns"], rel=1e-12)

    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.silent()
    highs.readModel(str(file))
    lp = highs.getLp()
    start, dual = solution_of(file.with_suffix(".sol"), lp)
    matrix = np.zeros(len(start))  # Σ dual · row
    least = np.full(lp.num_row_, 0.0)
    begin, index, value = (np.array(x) for x in (
        lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_))  # fmt: skip
    assert lp.a_matrix_.format_ == highspy.MatrixFormat.kColwise
    for column in range(lp.num_col_):
        own = slice(begin[column], begin[column + 1])
        least[index[own]] += value[own] * start[column]
        matrix[column] = value[own] @ dual[index[own]]
    lower = np.array(lp.row_lower_)
    assert (least - lower).min() > -1e-6  # ns: primal feasible, T is no more
    assert set(dual.tolist()) == {0.0, 1.0}  # a path
    names = list(lp.col_names_)
    rest = np.array(lp.col_cost_) - matrix
    slopes = {name: rest[i] for i, name in enumerate(names) if rest[i] != 0}
    assert slopes == {"l": T["lambda_L"]}  # dual feasible but for l, which is at its bound
    assert start[names.index("t")] == pytest.approx(T["T_ns"], rel=1e-12)
    assert dual @ lower + T["lambda_L"] * T["L_ns"] == pytest.approx(T["T_ns"], rel=1e-12)


def solution_of(path: Path, lp: Any) -> tuple[Any, Any]:
    """Columns' values and rows' duals of a file as HiGHS writes it, in the order of `lp`."""
    sections: dict[str, dict[str, float]] = {}
    for part in path.read_text().split("\n# ")[1:]:
        title, *lines = part.splitlines()
        kind = title.split()[0]
        name = kind if kind not in sections else f"dual {kind}"
        pairs = (line.split() for line in lines)
        sections.setdefault(
            name, {pair[0]: float(pair[1]) for pair in pairs if len(pair) == 2 and name != "Basis"}
        )
    return (
        np.array([sections["Columns"][name] for name in lp.col_names_]),
        np.array([sections["dual Rows"][name] for name in lp.row_names_]),
    )
