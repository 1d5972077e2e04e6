"""Call sites on the critical path: sums, ranking, senders, names."""

import csv
import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import latitude
from latitude import Analysis, _core
from latitude._types import Integers
from latitude.analysis.call_sites import located
from latitude.notices.notice import Notice
from latitude.results.critical_path import WholePath
from latitude.results.lines import RankLines
from latitude.sections.by_call_site.compute import call_sites_of
from latitude.sections.by_call_site.result import CallSiteShare
from latitude.sections.by_call_site.show import call_sites_csv
from support.callsites import SOURCES, Built, build, line
from support.callsites.sited import analysed
from support.native_trace import MESSAGES, RANKS, rank_file, write
from support.schemas import document
from support.sections import known


@pytest.fixture(scope="module")
def solver(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(tmp_path_factory.mktemp("solver"), "solver.c", "-O2", "-g")


@pytest.fixture(scope="module")
def result(lulesh: Path, solver: Built) -> Analysis:
    return analysed(lulesh, solver, [1.0, np.inf, 3.0])


def test_parts_sum_up_to_the_path(result: Analysis) -> None:
    shares = result.by_call_site
    assert len(shares) == 3
    base = result.baseline
    assert sum(s.lambda_L for s in shares) == known(base.lambda_L) > 0
    assert sum(s.overhead_ns for s in shares) == pytest.approx(known(base.path).overhead_ns)
    network = known(base.path).latency_ns + known(base.path).bandwidth_ns
    assert sum(s.network_ns for s in shares) == pytest.approx(network)
    assert sum(s.latency_ns for s in shares) == pytest.approx(known(base.path).latency_ns)
    assert sum(s.before_ns + s.calc_ns for s in shares) == pytest.approx(
        known(base.path).calc_ns, rel=0.01
    )
    assert sum(s.share for s in shares) == pytest.approx(
        (network + known(base.path).overhead_ns) / base.T_ns, rel=1e-3
    )
    assert sum(s.path_vertices for s in shares) == int(np.sum(known(result.path_call_site) >= 0))
    for index, share in enumerate(shares):
        mine = result.path_call_site == index
        assert known(result.path).latencies[mine].sum() == share.lambda_L
    assert [s.latency_ns for s in shares] == sorted((s.latency_ns for s in shares), reverse=True)
    assert sum(s.bytes_sent for s in shares) == result.graph.bytes
    assert sum(s.bytes_received for s in shares) == result.graph.bytes


def test_calls_are_counted_alike_by_name_and_by_place(tmp_path: Path) -> None:
    """Also those to MPI_PROC_NULL, at the ends of a chain of ranks."""
    files = {rank: rank_file(rank, closed=False) for rank in range(RANKS)}
    result = latitude.analyze(latitude.load(write(tmp_path / "run", files)))
    assert result.graph.messages == (RANKS - 1) * MESSAGES
    (site,) = result.by_call_site  # of the sends: receives have none in these files
    (by_name,) = (share.count for share in result.by_call if share.call == "MPI_Send")
    assert site.calls == {"MPI_Send": by_name} == {"MPI_Send": RANKS * MESSAGES}


def test_json_follows_the_schema(result: Analysis, solver: Built) -> None:
    data = document(result.to_json())
    rows = {row["where"]: row for row in data["by_call_site"]}
    assert set(rows) == {"comm.h:{}".format(line("comm.h", "1")), *(w for w in rows if "." in w)}
    row = rows[f"comm.h:{line('comm.h', '1')}"]
    assert row["function"] == "send"
    assert row["file"] == str(SOURCES / "comm.h")
    assert [frame["function"] for frame in row["inlined_into"]] == ["exchange", "main"]
    assert row["module"] == str(solver.path)
    assert row["offsets"] == [solver.offsets[1]]
    assert row["count"] == sum(row["calls"].values()) > 0
    assert {row["least_slack_ns"] for row in data["by_call_site"]} == {1.0, None, 3.0}


def test_csv_has_a_row_a_site(result: Analysis) -> None:
    rows = list(csv.DictReader(io.StringIO(call_sites_csv(result.by_call_site))))
    assert [row["where"] for row in rows] == [share.where for share in result.by_call_site]
    assert [float(row["lambda_L"]) for row in rows] == [s.lambda_L for s in result.by_call_site]
    assert all(
        set(row["calls"].split()) == set(s.calls)
        for row, s in zip(rows, result.by_call_site, strict=True)
    )


def test_inputs_without_call_sites_have_none(two_ranks: Path, lulesh: Path) -> None:
    for path in (two_ranks, lulesh):
        result = latitude.analyze(latitude.load(path))
        assert result.by_call_site == []
        assert set(known(result.path_call_site).tolist()) == {-1}
        assert call_sites_csv(result.by_call_site).count("\n") == 1


class Sited(NamedTuple):
    """Call sites, the row of each step of the path, and what could not be found out."""

    shares: list[CallSiteShare]
    of_step: Integers
    warnings: list[Notice]


class Ring:
    """Rank 0 computes and sends from one place, rank 1 receives at another and sends on."""

    kinds = (
        _core.Kind.calc,
        _core.Kind.send,
        _core.Kind.calc,
        _core.Kind.recv,
        _core.Kind.send,
        _core.Kind.recv,
    )
    calls = ("-", "Send A", "-", "Recv B", "Send C", "Recv A")
    partners = (_core.NO_ORIGIN, 3, _core.NO_ORIGIN, 1, 5, 4)
    through: tuple[str, ...] = ()

    def __init__(self, solver: Built, sites: list[int]) -> None:
        """`sites`: index into the solver's places of calls A, B, C."""
        names = ["MPI_Send", "MPI_Recv"]
        recorded = [call.split() for call in self.calls if call != "-"]
        origins = iter(range(len(recorded)))
        self.graph: Any = SimpleNamespace(
            kind=np.array(self.kinds, dtype=np.uint8),
            partner=np.array(self.partners, dtype=np.uint32),
            origin=np.array(
                [_core.NO_ORIGIN if call == "-" else next(origins) for call in self.calls],
                dtype=np.uint32,
            ),
            value=np.array([10, 8, 20, 8, 16, 16]),
            call_name=names,
            call_code=np.array([names.index(f"MPI_{kind}") for kind, _ in recorded]),
            call_site=np.array([sites["ABC".index(at)] for _, at in recorded], dtype=np.uint32),
            site_frames=[],
            site_module=np.zeros(3, dtype=np.uint32),
            site_offset=np.array(list(solver.offsets.values()), dtype=np.uint64),
            site_caller=np.full(3, _core.NO_SITE, dtype=np.uint32),
            module_path=[str(solver.path)],
            module_build_id=[""],
        )

    def analyse(self) -> Sited:
        """The path goes through all but rank 1's computation."""
        vertex = np.array([0, 1, 3, 4, 5])
        calc, overhead = np.array([10.0, 0, 0, 0, 0]), np.array([0, 1.0, 1, 1, 1])
        latencies = np.array([0, 0, 1.0, 0, 1.0])
        length = calc + overhead + 5 * latencies
        path = WholePath(
            vertex=vertex,
            rank=np.array([0, 0, 1, 1, 0]),
            line=np.array([0, 0, 1, 1, 0]),
            lines=RankLines.one_each(2),
            start=np.cumsum(length) - length,
            end=np.cumsum(length),
            calc=calc,
            overhead=overhead,
            network=5 * latencies,
            latency=5 * latencies,
            latencies=latencies,
        )
        program: Any = SimpleNamespace(graph=self.graph, through=self.through)
        places, rows = located(program)
        slack, runtime = np.array([7.0, 8.0, 9.0]), float(length.sum())
        found = call_sites_of(self.graph, path, places, rows, slack, runtime)
        return Sited(*found, places.warnings)


def test_a_message_s_way_belongs_to_its_receiver_and_names_its_sender(solver: Built) -> None:
    found = Ring(solver, [0, 1, 2]).analyse()
    assert found.warnings == []
    places = {share.function: share for share in found.shares}
    a, b, c = places["send"], places["step"], places["reduce"]
    assert (a.lambda_L, b.lambda_L, c.lambda_L) == (1, 1, 0)
    assert (a.calls, b.calls, c.calls) == (
        {"MPI_Send": 1, "MPI_Recv": 1},
        {"MPI_Recv": 1},
        {"MPI_Send": 1},
    )
    assert (a.before_ns, b.before_ns, c.before_ns) == (10, 0, 0)
    assert (a.overhead_ns, b.overhead_ns, c.overhead_ns) == (2, 1, 1)
    assert (a.network_ns, b.network_ns, c.network_ns) == (5, 5, 0)
    assert (a.bytes_sent, a.bytes_received, b.bytes_received, c.bytes_sent) == (8, 16, 8, 16)
    assert (a.least_slack_ns, b.least_slack_ns, c.least_slack_ns) == (7, 8, 9)
    assert a.sent_from is not None
    assert (a.sent_from.where, a.sent_from.lambda_L) == (c.where, 1)
    assert b.sent_from is not None
    assert (b.sent_from.where, b.sent_from.line) == (a.where, line("comm.h", "1"))
    assert c.sent_from is None
    assert [found.shares[i].function for i in found.of_step[1:]] == [
        "send",
        "step",
        "reduce",
        "send",
    ]
    assert found.of_step[0] == -1
    assert a.share == pytest.approx(7 / 24)


def test_a_place_that_sends_to_itself_names_no_sender(solver: Built) -> None:
    (only,) = Ring(solver, [1, 1, 1]).analyse().shares
    assert only.where == f"solver.c:{line('solver.c', '2')}"
    assert only.sent_from is None
    assert only.lambda_L == 2
    assert only.count == 4


def test_calls_without_a_site_are_nobody_s(solver: Built) -> None:
    ring = Ring(solver, [0, _core.NO_SITE, 2])
    found = ring.analyse()
    assert {share.function for share in found.shares} == {"send", "reduce"}
    assert found.of_step.tolist()[2] == -1
    assert sum(share.lambda_L for share in found.shares) == 1


def test_return_addresses_on_one_line_are_one_place(solver: Built) -> None:
    ring = Ring(solver, [0, 1, 2])
    offset = solver.offsets[2]
    ring.graph.site_offset = np.array([offset, offset - 1, offset + 100_000], dtype=np.uint64)
    found = ring.analyse()
    assert sorted(len(share.offsets) for share in found.shares) == [1, 2]
    unknown = next(share for share in found.shares if len(share.offsets) == 1)
    assert unknown.where == f"solver+{offset + 100_000:#x}"
    assert unknown.file is None


def test_a_layer_is_looked_past_where_callers_are_known(solver: Built) -> None:
    """A and C are calls in one layer, of the places of B and main; no site calls in a layer."""
    ring = Ring(solver, [0, 1, 0])
    names = [share.where for share in ring.analyse().shares]
    inside = f"comm.h:{line('comm.h', '1')}"
    assert inside in names
    ring.graph.site_caller = np.array([1, 2, _core.NO_SITE], dtype=np.uint32)
    plain = {share.where: share for share in ring.analyse().shares}
    assert plain.keys() == set(names)
    (way,) = plain[inside].paths
    assert way.frames[0] == f"{inside} in send"  # and what it was inlined into, then its callers
    assert len(way.frames) > 3
    assert way.count == plain[inside].count == 3
    assert way.lambda_L == plain[inside].lambda_L
    ring.through = ("comm.h",)
    past = {share.where: share for share in ring.analyse().shares}
    assert inside not in past
    assert sum(share.count for share in past.values()) == 4
    assert [share.paths[0].frames[0] for share in past.values()].count(f"{inside} in send") == 1
