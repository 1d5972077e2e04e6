"""Maps of T over several parameters: between their bounds, and the bounds as close as they say."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np
import pytest

import latitude
from latitude import _core
from latitude._core import InputError
from latitude._types import Floats
from latitude.analysis.map.find import Axis, Prices
from latitude.analysis.map.sandwich import sandwich
from latitude.files.progress import Silent
from latitude.results.map import MapAxis, ProgramMap
from support.command import Run
from support.oracle.brute_force import all_paths
from support.oracle.exact import ExactGraph, PathLength
from support.oracle.exact import Prices as ExactPrices
from support.oracle.programs import racing_program, random_parameters, random_program
from support.oracle.traces import ARCHIVES
from support.paths import EXAMPLES
from support.sections import known
from support.tiers import first_of

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
    found = latitude.map(program, NETWORK, vary=vary, error=0.02, sweeps=150)
    (alone,) = found.alternatives
    assert alone.error <= 0.02
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
        assert truth <= least * (1 + alone.error + ROUNDING)


def test_slopes_at_the_network_are_those_of_an_analysis() -> None:
    program = latitude.load(LULESH)
    network = latitude.Network(L=3456.7, o=1234.5, G=0.0371)
    found = latitude.map(program, network, vary=["L=1us:9us", "G=0.01ns:0.1ns", "o=1us:2us"])
    analysed = latitude.analyze(program, network)
    baseline = analysed.baseline
    path = known(baseline.path)
    (alone,) = found.alternatives
    assert alone.T_ns == pytest.approx(baseline.T_ns, rel=1e-12)
    assert alone.slope.tolist() == [baseline.lambda_L, path.lambda_G, path.lambda_o]
    assert alone.base.tolist() == [3456.7, 0.0371, 1234.5]
    (of_sliders,) = known(analysed.sliders).alternatives
    assert alone.path == path == of_sliders.path


@pytest.mark.parametrize(
    ("vary", "says"),
    [
        ([], "give each parameter once"),
        (["L=1us:2us", "L=2us:3us"], "give each parameter once"),
        (["L"], "'L' has no interval; write e.g. L=1us:100us"),
        (["compute=2:1"], "'2:1' is empty"),
        (["compute=a:1"], "'a' is not a factor on computation"),
        (["x=1us:2us"], "unknown parameter 'x'"),
        (["l_wire=1us:2us"], "l_wire needs a topology"),
    ],
)
def test_what_cannot_be_varied_is_refused(vary: list[str], says: str) -> None:
    with pytest.raises(InputError, match=says.replace("?", r"\?")):
        latitude.map(latitude.load(LULESH), vary=vary)


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
        latitude.map(program, network, vary=["L=0.1us:3us"])
    with pytest.raises(InputError, match=says):
        latitude.analyze(program, network, sweep="L=0.1us:3us")
    with pytest.raises(InputError, match="give a finite value of 0 or more"):
        latitude.map(program, network, vary=["L=0.4us:3us", "L:on a rail=0.1us:1us"])
    at_zero = latitude.map(program, network, vary=["L=0.4us:3us"])
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
    (alone,) = found["alternatives"]
    assert len(alone["planes"]) == 5
    assert "after 5 sweeps T is known within" in done.stdout.replace("\n", " ")
    rows = (tmp_path / "map" / "map.csv").read_text().splitlines()
    assert rows[0] == "alternative,L_ns,G_ns_per_byte,T_ns,T_at_most_ns"
    assert len(rows) == 1 + 41**2
    for row in rows[1:]:
        least, most = map(float, row.split(",")[3:])
        assert least <= most * (1 + ROUNDING)
        assert most <= least * (1 + alone["error"] + ROUNDING)


FAR = {"near": latitude.Network(L=1000.0, o=500.0, G=0.08),
       "wide": latitude.Network(L=2000.0, o=500.0, G=0.02)}  # fmt: skip
BOX_2 = ["L=0.5us:20us", "G=0.01ns:0.1ns"]


@pytest.mark.thorough
def test_programs_and_networks_stand_side_by_side() -> None:
    ring = latitude.load(LULESH, collectives=["allreduce=ring"])
    programs = {"doubling": latitude.load(LULESH), "ring": ring}
    found = latitude.map(programs, FAR, vary=BOX_2, error=0.01)
    labels = [each.label for each in found.alternatives]
    assert labels == ["doubling · near", "doubling · wide", "ring · near", "ring · wide"]
    points = points_of(found, 5)
    for label, each in zip(labels, found.alternatives, strict=True):
        alone, on = (part.strip() for part in label.split("·"))
        assert each.T_ns == latitude.analyze(programs[alone], FAR[on]).T_ns
        assert (found.runtime(points, label) == each.runtime(points)).all()
    assert (found.runtime(points) == found.runtime(points, labels[0])).all()
    with pytest.raises(KeyError):
        found.runtime(points, "ring")


def test_what_is_said_of_a_map_follows_from_its_planes() -> None:
    found = latitude.map(latitude.load(LULESH), FAR["near"], vary=[*BOX_2, "o=0us:2us"])
    (alone,) = found.alternatives
    rows = {(row.parameter, row.other): row for row in found.exchange}
    assert len(rows) == 6
    worth = rows["L", "G"].worth
    assert worth == pytest.approx(0.1 * 1000 * alone.slope[0] / alone.slope[1])
    base = alone.start(found.axes)
    for turn in found.turns:
        at = base.copy()
        index = [axis.name for axis in found.axes].index(turn.along)
        at[index] = turn.value
        shares = alone.shares(at[None])[0]
        every = [*shares, 1 - shares.sum()]
        names = [*(axis.name for axis in found.axes), "rest"]
        assert turn.largest == names[int(np.argmax(every))]
        assert turn.share == pytest.approx(max(every))
    assert {row.over for row in found.tolerance} == {"G", "o"}
    for row in found.tolerance[::40]:
        at = base.copy()
        at[[axis.name for axis in found.axes].index(row.over)] = row.value
        network = replace(FAR["near"], L=float(at[0]), G=float(at[1]), o=float(at[2]))
        analysed = latitude.analyze(
            latitude.load(LULESH), network, tolerance=[row.degradation], sections=[]
        )
        (exact,) = analysed.tolerance
        assert row.delta_low <= exact.delta * (1 + ROUNDING)
        assert exact.delta <= row.delta_high * (1 + ROUNDING)


def test_a_map_becomes_a_data_frame_and_a_figure() -> None:
    found = latitude.map(latitude.load(LULESH), FAR, vary=BOX_2, error=0.01)
    frame = found.to_dataframe()
    assert list(frame) == ["alternative", "L_ns", "G_ns_per_byte", "T_ns", "T_at_most_ns"]
    assert len(frame) == 2 * 41**2
    wide = frame[frame["alternative"] == "wide"]
    assert (wide["T_ns"] == found.runtime(wide[["L_ns", "G_ns_per_byte"]].to_numpy(), "wide")).all()
    assert (frame["T_ns"] <= frame["T_at_most_ns"] * (1 + ROUNDING)).all()
    pytest.importorskip("plotly")
    assert len(found.plot().data) > 1
    (curve,) = latitude.map(latitude.load(LULESH), vary=["L=1us:9us"]).plot().data
    assert (np.diff(curve.y) >= 0).all()


def test_the_command_compares_networks_and_inputs(latitude: Run, tmp_path: Path) -> None:
    for name, gap in (("near", "12.5GB/s"), ("wide", "50GB/s")):
        text = f'L = "{1 if name == "near" else 2}us"\no = "500ns"\nG = "{gap}"\n'
        (tmp_path / f"{name}.toml").write_text(text)
    goal = EXAMPLES / "two-ranks.goal"
    files = ",".join(str(tmp_path / f"{name}.toml") for name in ("near", "wide"))
    box = ("--vary", "L=0.5us:20us", "--error", "1%")
    done = latitude(
        "map", LULESH, goal, *box, "--compare", f"network={files}", "-o", tmp_path / "map"
    )
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "map" / "map.json").read_text())
    assert [each["label"] for each in found["alternatives"]] == [
        "lulesh-8-i20-s8 · near",
        "lulesh-8-i20-s8 · wide",
        "two-ranks · near",
        "two-ranks · wide",
    ]
    said = " ".join(done.stdout.split())
    assert "latency takes 63 µs less on the critical path" in said
    for option in (("--network", tmp_path / "near.toml"), ("--o", "trace")):
        done = latitude("map", LULESH, *box, "--compare", f"network={files}", *option)
        assert done.returncode == 2
        assert "--compare network: leave one out" in done.stderr


# Against every path of small programs, and in exact arithmetic.

BOX = (MapAxis(name="L", meaning="", unit="ns", low=0.5, high=40.0),
       MapAxis(name="G", meaning="", unit="ns/B", low=0.0, high=4.0),
       MapAxis(name="o", meaning="", unit="ns", low=0.25, high=16.0),
       MapAxis(name="compute", meaning="", unit="", low=0.5, high=2.0))  # fmt: skip
ORACLE = 8


@pytest.mark.parametrize("chunk", first_of(range(40)))
def test_planes_are_those_of_all_paths(chunk: int, tmp_path: Path) -> None:
    """No path is missing where it is the longest, and no plane is that of no path."""
    for seed in range(chunk * ORACLE, (chunk + 1) * ORACLE):
        rng = Random(seed)
        draw = racing_program if seed % 4 == 0 else random_program
        program, costs = draw(rng), random_parameters(rng)
        goal = tmp_path / "program.goal"
        goal.write_text(program.text(rng))
        graph = _core.graph_format("goal").read(str(goal))
        paths = np.array([list(path) for path in all_paths(program.arrays(), costs)], float)
        axes = BOX[: rng.randint(1, 3)] if seed % 2 else BOX[rng.randint(1, 2) :]
        # calc, overheads, latencies, bytes of each path, in the order of the axes
        columns = {"L": 2, "G": 3, "o": 1, "compute": 0}
        price = {"L": costs.L, "G": costs.G, "o": costs.o, "compute": 1.0}
        slopes = paths[:, [columns[axis.name] for axis in axes]]
        fixed = [name for name in columns if name not in {axis.name for axis in axes}]
        rest = sum(paths[:, columns[name]] * price[name] for name in fixed)
        network = latitude.Network(
            L=costs.L, o=costs.o, G=costs.G, S=costs.S, S_isend=costs.S_isend,
            rendezvous=costs.rendezvous,
        )  # fmt: skip
        links = network.links(graph.ranks)
        found = Prices(graph, network, links, [axis.name for axis in axes]).mapped(
            "", axes, 0.0, 3000, Silent()
        )
        if found is None:
            continue
        known = np.column_stack([slopes, rest])
        for plane in np.column_stack([found.planes.slope, found.planes.at_zero]):
            # Where prices are 0 paths tie, and one may be swept that another exceeds elsewhere.
            assert (known >= plane - 1e-6).all(axis=1).any(), (seed, plane)
        low, high = (np.array([getattr(axis, end) for axis in axes]) for end in ("low", "high"))
        points = np.random.default_rng(seed).uniform(low, high, size=(500, len(axes)))
        truth = (points @ slopes.T + rest).max(axis=1)
        assert found.runtime(points) == pytest.approx(truth, rel=1e-8), seed
        assert found.error < 1e-8, seed


def test_planes_and_upper_points_are_proved_in_whole_numbers() -> None:
    """T of each sweep is exact, and each plane is between the exact slopes in all directions."""
    program = latitude.load(LULESH)
    network = latitude.Network(L=3000.0, o=1000.0, G=0.018)
    names = ["L", "G", "o", "compute"]
    vary = ["L=1us:10us", "G=0.01ns:0.1ns", "o=0.5us:2us", "compute=0.5:2"]
    found = latitude.map(program, network, vary=vary, error=0.05, sweeps=20)
    (alone,) = found.alternatives
    prices = Prices(program.graph, network, network.links(program.ranks), names)
    exact = ExactGraph(program.graph, network.core(program.ranks))
    random = np.random.default_rng(7)
    planes = zip(alone.planes.T_ns.tolist(), alone.planes.point, alone.planes.slope, strict=True)
    for number, (T, point, slope) in enumerate(planes):
        here = ExactPrices.of(prices.at(point).network)
        unit = np.eye(4)[number % 4]
        for direction in (unit, random.integers(1, 9, size=4) / [1, 1e4, 1, 1e4]):
            L, G, o, compute = (Fraction(each) for each in direction.tolist())
            runtime = exact.with_prices(
                replace(
                    here,
                    computation=PathLength(here.computation.constant, compute),
                    overhead=(PathLength(here.overhead[0].constant, o),),
                    latency=(PathLength(here.latency[0].constant, L),),
                    byte=(PathLength(here.byte[0].constant, G),),
                )
            )
            assert float(runtime.at(Fraction(0))) == pytest.approx(T, rel=1e-12)
            left, right = (float(each) for each in runtime.slopes(Fraction(0)))
            along = float(slope @ direction)
            assert left * (1 - 1e-9) <= along <= right * (1 + 1e-9)


DECADE = ["L=1us:10us", "G=0.01ns:0.1ns"]


@pytest.mark.traces
@pytest.mark.usefixtures("traces")
@pytest.mark.parametrize(
    ("more", "error", "most"),
    [([], 0.001, 200), (["o=0.5us:5us", "compute=0.5:2"], 0.01, 600)],
    ids=["two", "four"],
)
@pytest.mark.parametrize("name", ARCHIVES)
def test_few_sweeps_suffice_for_real_traces(
    name: str, more: list[str], error: float, most: int
) -> None:
    """Fresh runs at random points of the box are within the error that is reached."""
    program = latitude.load(ARCHIVES[name])
    network = latitude.Network(L=3000.0, o=1000.0, G=0.018)
    found = latitude.map(program, network, vary=DECADE + more, error=error, sweeps=most)
    (alone,) = found.alternatives
    assert alone.error <= error
    assert len(alone.planes) <= most
    axes = [axis.name for axis in found.axes]
    prices = Prices(program.graph, network, network.links(program.ranks), axes)
    random = np.random.default_rng(5)
    for point in points_of(found, 10):
        L = random.uniform(found.axes[0].low, found.axes[0].high, size=25)
        points = np.tile(point, (L.size, 1))
        points[:, 0] = L
        truth = prices.at(point).along("L").runtime(L)
        lower = found.runtime(points)
        assert (lower <= truth * (1 + ROUNDING)).all()
        assert (truth <= lower * (1 + alone.error + ROUNDING)).all()
