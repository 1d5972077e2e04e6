"""Maps of T over several parameters: between their bounds, and the bounds as close as they say."""

import json
from pathlib import Path

import numpy as np
import pytest

import latitude
from latitude import _core
from latitude._core import InputError
from latitude._types import Floats
from latitude.analysis.map.find import Axis, program_map
from latitude.analysis.map.sandwich import sandwich
from latitude.results.map import ProgramMap
from support.command import Run
from support.paths import EXAMPLES

LULESH = EXAMPLES / "lulesh-8-i20-s8.tar.xz"
NETWORK = latitude.Network(
    L=2000.0,
    o=500.0,
    G=0.04,
    rules=[latitude.Rule("same node", L="0.4us", G="0.05ns")],
    placement=latitude.Placement("block", ranks_per_node=2),
)
ROUNDING = 1e-9


@pytest.mark.parametrize(
    ("axes", "planes"), [(1, 9), pytest.param(2, 12, marks=pytest.mark.thorough), (3, 6)]
)
def test_few_planes_are_found_exactly(axes: int, planes: int) -> None:
    """Each plane of a maximum of few is found, and no error is left."""
    random = np.random.default_rng(axes)
    slopes = random.gamma(1.0, 50.0, size=(planes, axes))
    offsets = 1000 - (slopes**2).sum(axis=1) / 100

    def evaluate(point: Floats) -> tuple[float, Floats]:
        values = slopes @ point + offsets
        return float(values.max()), slopes[values.argmax()]

    found = sandwich(evaluate, [0.1] * axes, [10.0] * axes, 0.0, 2000)
    assert found.error < ROUNDING
    points = random.uniform(0.1, 10, size=(2000, axes))
    truth = (points @ slopes.T + offsets).max(axis=1)
    assert found.planes.highest(points) == pytest.approx(truth, rel=1e-9)
    corners = found.planes.point[found.simplices.corners]
    volumes = np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1]))
    assert volumes.sum() / np.prod(range(1, axes + 1)) == pytest.approx(9.9**axes, rel=1e-9)


def test_no_more_points_are_asked_for_than_allowed_beside_the_corners() -> None:
    asked = []

    def evaluate(point: Floats) -> tuple[float, Floats]:
        asked.append(point)
        return float(1 + point @ point), 2 * point

    found = sandwich(evaluate, [0.0, 0.0], [1.0, 1.0], 1e-6, 9)
    assert len(asked) == len(found.planes) == 9
    assert found.error > 1e-6
    assert found.planes.T_ns == pytest.approx(1 + (found.planes.point**2).sum(axis=1))


@pytest.mark.parametrize("axes", [1, 2, 3, 4])
def test_a_plane_takes_no_points_but_the_corners(axes: int) -> None:
    slope: Floats = np.arange(float(axes))

    def evaluate(point: Floats) -> tuple[float, Floats]:
        return float(7 + slope @ point), slope

    found = sandwich(evaluate, [0.0] * axes, [3.0] * axes, 0.0, 99)
    assert len(found.planes) == 2**axes
    assert found.error < ROUNDING


def points_of(found: ProgramMap, count: int) -> Floats:
    random = np.random.default_rng(3)
    low = np.array([axis.low for axis in found.axes])
    high = np.array([axis.high for axis in found.axes])
    return random.uniform(low, high, size=(count, len(low)))


def test_a_program_is_between_the_bounds_everywhere() -> None:
    """Fresh sweeps of networks that differ in all that was varied."""
    program = latitude.load(LULESH)
    vary = ["L=1us:30us", "G:intra=0.01ns:2ns", "o=0.1us:3us", "compute=0.5:2"]
    found = program_map(program, NETWORK, vary=vary, error=0.02, sweeps=150)
    assert found.error <= 0.02
    assert not any(each.code == "map-error" for each in found.warnings)
    points = points_of(found, 60)
    lower, upper = found.runtime(points), found.above(points)
    for (L, G_intra, o, scale), least, most in zip(points.tolist(), lower, upper, strict=True):
        rules = [latitude.Rule("same node", L="0.4us", G=G_intra)]
        network = latitude.Network(
            L=L,
            o=o,
            G=0.04,
            rules=rules,
            compute_scale=scale,
            placement=NETWORK.placement,
        )
        model = _core.Model(program.graph, network.core(program.ranks))
        truth = model.runtime()
        assert least <= truth * (1 + ROUNDING)
        assert truth <= most * (1 + ROUNDING)
        assert truth <= least * (1 + found.error + ROUNDING)


def test_slopes_at_the_network_are_those_of_an_analysis() -> None:
    program = latitude.load(LULESH)
    network = latitude.Network(L=3456.7, o=1234.5, G=0.0371)
    found = program_map(program, network, vary=["L=1us:9us", "G=0.01ns:0.1ns", "o=1us:2us"])
    baseline = latitude.analyze(program, network).baseline
    path = baseline.path
    assert path is not None
    assert found.network.T_ns == pytest.approx(baseline.T_ns, rel=1e-12)
    slopes = [axis.slope for axis in found.axes]
    assert slopes == [baseline.lambda_L, path.lambda_G, path.lambda_o]
    assert [axis.base for axis in found.axes] == [3456.7, 0.0371, 1234.5]


@pytest.mark.parametrize(
    ("vary", "says"),
    [
        ([], "give each parameter once"),
        (["L=1us:2us", "L=2us:3us"], "give each parameter once"),
        (["L"], "'L' has no interval; write e.g. L=1us:100us"),
        (["compute=2:1"], "'2:1' is empty"),
        (["compute=a:1"], "'a' is not a factor on computation"),
        (["x=1us:2us"], "unknown parameter 'x'"),
        (["l_wire=1us:2us"], "l_wire is a topology's"),
    ],
)
def test_what_cannot_be_varied_is_refused(vary: list[str], says: str) -> None:
    with pytest.raises(InputError, match=says.replace("?", r"\?")):
        program_map(latitude.load(LULESH), vary=vary)


def test_no_link_costs_less_than_nothing() -> None:
    """Links of a rule below L keep their distance from it, and would fall below 0."""
    program = latitude.load(LULESH)
    network = latitude.Network(
        L=1_300.0,
        o=400.0,
        G=0.08,
        rules=[latitude.Rule("same rail", L="0.9us")],
        places=latitude.PlaceSizes({"rail": 2}),
        placement=latitude.Placement("block", ranks_per_node=2),
    )
    says = "begin at 400 ns or above"
    with pytest.raises(InputError, match=says):
        program_map(program, network, vary=["L=0.1us:3us"])
    with pytest.raises(InputError, match=says):
        latitude.analyze(program, network, sweep="L=0.1us:3us")
    with pytest.raises(InputError, match="give a finite value of 0 or more"):
        program_map(program, network, vary=["L=0.4us:3us", "L:on a rail=0.1us:1us"])
    at_zero = program_map(program, network, vary=["L=0.4us:3us"])
    least = latitude.analyze(program, network, sweep="L=0.4us:3us").curve.T_ns[0]
    assert at_zero.runtime(np.array([400.0])) == pytest.approx(least)


def test_axes_are_read_with_units() -> None:
    assert Axis.parse("G=10GB/s:0.2ns/B") == Axis("G", 0.1, 0.2)
    assert Axis.parse("L:intra=0.2us:2us") == Axis("L:intra", 200.0, 2000.0)
    assert Axis.parse("compute=0.5:2") == Axis("compute", 0.5, 2.0)


def test_the_command_writes_what_it_says(latitude: Run, tmp_path: Path) -> None:
    box = ("--vary", "L=1us:100us", "--vary", "G=0.01ns:0.1ns", "--error", "1%")
    done = latitude("map", LULESH, *box, "-o", tmp_path / "map", "--sweeps", "5")
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "map" / "map.json").read_text())
    assert len(found["planes"]) == 5
    assert "after 5 sweeps T is known within" in done.stdout.replace("\n", " ")
    rows = (tmp_path / "map" / "map.csv").read_text().splitlines()
    assert rows[0] == "L_ns,G_ns_per_byte,T_ns,T_at_most_ns"
    assert len(rows) == 1 + 41**2
    for row in rows[1:]:
        _, _, least, most = map(float, row.split(","))
        assert least <= most * (1 + ROUNDING)
        assert most <= least * (1 + found["error"] + ROUNDING)
