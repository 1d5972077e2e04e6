"""The run as a file for Perfetto: what it says is what the waits and the critical path say."""

import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

import latitude as lat
from latitude import _core
from latitude.analysis.cpu_order import in_order
from latitude.analysis.perfetto import (
    COMPUTATION,
    TRANSFER,
    WAIT,
    PerfettoRun,
    Slice,
    write_perfetto,
)
from latitude.cli.main import main
from latitude.sections.waits.compute import waits_of
from latitude.sections.waits.result import CAUSES
from support.tiers import first_of

NETWORKS = [
    lat.Network(),
    lat.Network(S=1024, O=0.1),
    lat.Network(S=0, o=200.0, rendezvous="sync"),
]


def slices_of(program: lat.Program, network: lat.Network) -> list[Slice]:
    """Slices in the order of their lines; slices with equal begin and end keep their order."""
    found = list(PerfettoRun(program, network).slices())
    return sorted(found, key=lambda each: (each.rank, each.lane, each.begin_ns, -each.end_ns))


@pytest.mark.parametrize("network", NETWORKS)
def test_times_are_those_of_the_waits(lulesh: Path, network: lat.Network) -> None:
    """Both say where each rank's time goes, and know nothing of each other."""
    program = lat.load(lulesh)
    sums: defaultdict[str, np.ndarray] = defaultdict(lambda: np.zeros(program.ranks))
    for each in slices_of(program, network):
        sums[each.kind][each.rank] += each.end_ns - each.begin_ns
    model = _core.Model(program.graph, network.core(program.ranks))
    waits = waits_of(model.waits(), program.ranks, {}).by_rank
    waited = sum(getattr(waits, f"{cause}_ns") for cause in CAUSES)
    assert waited.min() > 0
    np.testing.assert_allclose(sums[WAIT], waited, atol=1e-3)
    np.testing.assert_allclose(sums[TRANSFER], waits.transfer_ns, atol=1e-3)
    np.testing.assert_allclose(sums[COMPUTATION], waits.computation_ns, atol=1e-3)
    np.testing.assert_allclose(sums[COMPUTATION] + sums["MPI"], waits.end_ns, atol=1e-3)


@pytest.mark.parametrize("network", first_of(NETWORKS))
def test_slices_of_a_line_lie_beside_or_inside_each_other(
    lulesh: Path, network: lat.Network
) -> None:
    rounding = 1e-6
    for program in (lat.load(lulesh), lat.load(lulesh, collectives=["allreduce=ring"])):
        line, open_until = (-1, -1), [0.0]
        for each in slices_of(program, network):
            if (each.rank, each.lane) != line:
                line, open_until = (each.rank, each.lane), []
            while open_until and open_until[-1] <= each.begin_ns + rounding:
                open_until.pop()
            assert not open_until or each.end_ns <= open_until[-1] + rounding
            assert len(open_until) < 2
            assert open_until or each.kind not in (WAIT, TRANSFER)
            open_until.append(each.end_ns)


def test_the_critical_path_has_a_line_and_arrows(lulesh: Path, tmp_path: Path) -> None:
    network = lat.Network()
    program = lat.load(lulesh)
    found = lat.analyze(program, network)
    write_perfetto(tmp_path / "run.json", PerfettoRun(program, network))
    events = json.loads((tmp_path / "run.json").read_text())["traceEvents"]
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    assert names == {**{r: f"rank {r}" for r in range(8)}, 8: "critical path"}
    path = [e for e in events if e["pid"] == 8 and e["ph"] == "X"]
    at = 0.0
    for each in path:
        assert each["ts"] == pytest.approx(at, abs=1e-6)
        at = each["ts"] + each["dur"]
    assert at * 1e3 == pytest.approx(found.baseline.T_ns)
    assert sum(each["args"]["latencies"] for each in path) == found.baseline.lambda_L
    slices = [e for e in events if e["pid"] < 8 and e["ph"] == "X"]
    assert any(e["name"] == "MPI_Allreduce" and "critical path" in e["cat"] for e in slices)
    arrows = [e for e in events if e["ph"] in "sf"]
    assert len(arrows) > 10
    for each in arrows:
        around = (
            e
            for e in slices
            if (e["pid"], e["tid"]) == (each["pid"], each["tid"])
            and e["ts"] - 1e-6 <= each["ts"] <= e["ts"] + e["dur"] + 1e-6
        )
        assert next(around, None), each


def test_a_goal_files_line_is_its_cpu(tmp_path: Path) -> None:
    path = tmp_path / "p.goal"
    path.write_text("num_ranks 1\nrank 0 {\na: calc 5000 cpu 3\nb: calc 7000 cpu 3\n}\n")
    together = slices_of(lat.load(path, cpu_order="none"), lat.Network())
    assert [(each.lane, each.begin_ns) for each in together] == [(0, 0), (1, 0)]
    apart = slices_of(in_order(lat.load(path), lat.Network()), lat.Network())
    assert [(each.lane, each.begin_ns) for each in apart] == [(0, 0), (0, 5000)]
    run = PerfettoRun(lat.load(path, cpu_order="none"), lat.Network())
    lines = [e["args"]["name"] for e in run.events() if e["name"] == "thread_name"]
    assert lines == ["cpu 3", "cpu 3, beside"]


def test_analyze_writes_it(
    two_ranks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "run.json"
    assert main(["analyze", str(two_ranks), "--perfetto", str(file)]) == 0
    events = json.loads(file.read_text())["traceEvents"]
    assert {"send", "recv"} < {e["name"] for e in events}
    before = file.read_bytes()
    assert main(["analyze", str(two_ranks), "--perfetto", str(file)]) == 2
    assert "run.json: exists already" in capsys.readouterr().err
    assert file.read_bytes() == before
