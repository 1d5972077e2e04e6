"""`latitude lp`: engine and LP side by side, files for other solvers, a budget over links."""

import json
import resource
from collections.abc import Callable
from pathlib import Path

import highspy
import numpy as np
import pytest

from latitude import _core, load
from latitude.model.network import Network
from latitude.model.placement import Placement
from latitude.model.rules import Rule
from support.command import Run
from support.oracle.traces import graph_of
from support.schemas import document
from support.second_opinion import asked_of_both
from support.tiers import first_of

AGREE = 1e-9
PLACED = ("--ranks-per-node", "2", "--intra", "L=0.5us,G=0.01ns")


def test_the_paper_s_example(tmp_path: Path, latitude: Run) -> None:
    """[S] Figs. 4 to 6: T = 1.615 µs and λ = 1 at L = 0.5 µs, 0.385 µs critical, 0.885 µs for 2."""
    path = tmp_path / "example.goal"
    path.write_text(
        "num_ranks 2\nrank 0 {\na: calc 100\nb: send 4b to 1\nc: calc 1000\nb requires a\n"
        "c requires b\n}\nrank 1 {\na: calc 500\nb: recv 4b from 0\nc: calc 1000\n"
        "b requires a\nc requires b\n}\n"
    )
    share = (2000 - 1615) / 1615
    done = latitude(
        *("lp", path, "--L", "0.5us", "--o", "0", "--G", "5ns/B", "--json", "-"),
        *("--tolerance", f"{share:.17g}", "--ranging"),
    )
    assert done.returncode == 0, done.stderr
    found = document(done.stdout)
    assert found["T_ns"] == {"engine": 1615.0, "lp": pytest.approx(1615.0)}
    (sensitivity,) = found["sensitivity"]
    assert sensitivity["reduced_cost"] == 1
    assert sensitivity["critical_below_ns"] == pytest.approx({"engine": 385.0, "lp": 385.0})
    assert sensitivity["critical_above_ns"] == {"engine": None, "lp": None}
    assert sensitivity["basis_ns"] == [pytest.approx(385.0), None]
    (tolerance,) = found["tolerance"]
    assert tolerance["L_ns"] == pytest.approx({"engine": 885.0, "lp": 885.0})


@pytest.mark.traces
@pytest.mark.usefixtures("traces")
@pytest.mark.parametrize("name", ["npb-ep.S-8", "npb-is.S-8", "npb-ft.S-8", "lulesh-8-i20-s8"])
def test_real_traces_with_links_inside_and_between_nodes(name: str) -> None:
    graph = graph_of(name)
    network = Network.parse(
        {"o": "0.5us", "S": "1KiB", "g": "0.2us"},
        rules=[Rule("same node", "0.5us", "0.01ns")],
        placement=Placement("block", ranks_per_node=2),
    )
    opinion = asked_of_both(graph, network.core(graph.ranks), (0.01, 0.05))
    assert opinion.largest_difference < AGREE
    assert len(opinion.sensitivity) == 2


@pytest.mark.parametrize("suffix", [".mps", ".lp"])
def test_files_hold_the_program_by_its_names(
    suffix: str, tmp_path: Path, lulesh: Path, latitude: Run
) -> None:
    path = tmp_path / f"run{suffix}"
    done = latitude("lp", lulesh, "--export", path, "--S", "1KiB", "--G", "0.0123ns")
    assert done.returncode == 0, done.stderr
    assert "variables" in done.stdout
    network = _core.Network(L=3000.0, o=5000.0, G=0.0123, S=1024)
    dag = _core.Model(load(lulesh).graph, network).along()
    runtime, _, slope = (values[0] for values in dag.slopes(np.array([3000.0])))
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.silent()
    assert highs.readModel(str(path)) == highspy.HighsStatus.kOk
    assert highs.run() == highspy.HighsStatus.kOk
    assert highs.getObjectiveValue() == pytest.approx(runtime, rel=AGREE)
    _, column = highs.getColByName("l")
    assert highs.getSolution().col_dual[column] == pytest.approx(slope)
    assert highs.getSolution().col_value[highs.getColByName("t")[1]] == pytest.approx(runtime)
    # As LLAMP's analyzer asks for the tolerance: max l with t ≤ 1.01 T.
    highs.changeColCost(highs.getColByName("t")[1], 0.0)
    highs.changeColCost(column, 1.0)
    highs.changeColBounds(highs.getColByName("t")[1], 0.0, 1.01 * runtime)
    highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
    highs.run()
    tolerance = dag.tolerance(np.array([1.01 * runtime]), 3000.0)
    assert highs.getObjectiveValue() == pytest.approx(tolerance[0], rel=1e-6)


@pytest.mark.parametrize("suffix", [".mps", ".lp"])
def test_the_file_may_lie_in_another_file_system(
    suffix: str, elsewhere: Path, two_ranks: Path, latitude: Run
) -> None:
    done = latitude("lp", two_ranks, "--export", elsewhere / f"run{suffix}")
    assert done.returncode == 0, done.stderr
    assert [path.name for path in elsewhere.iterdir()] == [f"run{suffix}"]


def most_bytes(count: int) -> Callable[[], None]:
    """Lets a process write files of so many bytes at most, as if a disk were full then."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (count, count))


@pytest.mark.parametrize("suffix", first_of([".mps", ".lp"]))
def test_a_full_disk_leaves_no_part_of_the_file(
    suffix: str, tmp_path: Path, lulesh: Path, latitude: Run
) -> None:
    path = tmp_path / f"run{suffix}"
    done = latitude("lp", lulesh, "--export", path, preexec_fn=most_bytes(1 << 16))
    assert done.returncode == 2
    assert done.stderr == (
        f"latitude: error: {path}: HiGHS could not write all of it; is the disk full?\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_link_classes_have_llamp_s_names(tmp_path: Path, lulesh: Path, latitude: Run) -> None:
    path = tmp_path / "run.mps"
    done = latitude("lp", lulesh, "--export", path, *PLACED)
    assert done.returncode == 0, done.stderr
    bounds = path.read_text().partition("BOUNDS\n")[2].splitlines()
    assert [line.split()[2:] for line in bounds[:2]] == [["l", "3000"], ["l_intra", "500"]]


def test_budget_on_the_terminal(lulesh: Path, latitude: Run) -> None:
    done = latitude(
        *("lp", lulesh, "--budget", "intra=3,inter=1", "--bound", "intra=0.1us:0.6us"),
        *("--tolerance", "2%", *PLACED),
    )
    assert done.returncode == 0, done.stderr
    assert "Engine and linear program agree" in done.stdout
    rows = [line.split() for line in done.stdout.splitlines()]
    (row,) = (row for row in rows if row[:1] == ["2%"] and "slower:" not in row)
    intra = float(row[3]) * {"ns": 1, "µs": 1000}[row[4]]
    assert 100 <= intra <= 600.0001


def test_a_class_without_messages_is_unlimited(two_ranks: Path, latitude: Run) -> None:
    done = latitude(
        *("lp", two_ranks, "--budget", "intra=1,inter=1", "--json", "-", "--intra", "L=1us"),
        *("--ranks-per-node", "1", "--tolerance", "0.01"),
    )
    assert done.returncode == 0, done.stderr
    (spent,) = json.loads(done.stdout)["budget"]["spent"]
    assert spent["L_ns"]["inside a node"] is None
    assert spent["L_ns"]["between nodes"] > 3000


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ((), "nothing to do: give --solve, --budget or --export FILE.mps"),
        (("--export", "run.txt"), "unknown format '.txt'; name it .mps or .lp"),
        (("--budget", "intra"), "'intra' is not understood; write e.g. intra=4,inter=1"),
        (("--budget", "inter=0", *PLACED), "one class at least a weight above 0"),
        (("--budget", "intra=1"), "unknown link class 'inside a node'; this network has"),
        (("--solve", "--bound", "intra=0:1us"), "--bound needs --budget"),
        (("--solve", "--solver", "gurobi"), "gurobipy is not installed"),
    ],
)
def test_wrong_options(
    options: tuple[str, ...], advice: str, two_ranks: Path, refused: Callable[..., str]
) -> None:
    assert advice in refused("lp", two_ranks, *options)


def test_results_are_not_overwritten(
    tmp_path: Path, two_ranks: Path, refused: Callable[..., str]
) -> None:
    path = tmp_path / "run.mps"
    path.write_text("mine")
    assert "--force" in refused("lp", two_ranks, "--export", path)
    assert path.read_text() == "mine"
