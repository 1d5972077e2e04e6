"""Sections about jobs: waiting and transfer, and what bounds a step."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import latitude
from latitude.results.analysis import Analysis
from latitude.results.reading import read_analysis
from latitude.sections.cpu_gaps.result import CpuGaps
from latitude.sections.job_collectives.result import Collectives

PART = {"group": "data", "sequence": 0, "kind": "all_reduce", "bytes": 4096}


def job_file(folder: Path, *operations: dict[str, Any], ranks: int = 2) -> Path:
    """Two ranks whose CPUs launch a kernel and an all-reduce of 20 µs each; rank 1 is late."""
    path = folder / "it.job.json"
    job = {"format": "latitude job", "version": 1, "ranks": ranks, "groups": {"data": [0, 1]}}
    path.write_text(json.dumps({**job, "operations": list(operations)}))
    return path


def steps(rank: int, launch: int, kernel: int, first: int) -> list[dict[str, Any]]:
    return [
        {"rank": rank, "on": "cpu", "ns": launch},
        {"rank": rank, "on": "stream 7", "ns": kernel, "after": [first]},
        {"rank": rank, "on": "stream 7", "ns": 20_000 + 1_000 * rank, "collective": PART},
    ]


@pytest.fixture
def two(tmp_path: Path) -> Path:
    return job_file(tmp_path, *steps(0, 1_000, 50_000, 0), *steps(1, 60_000, 30_000, 3))


def collectives_in(found: Analysis) -> Collectives:
    assert found.job_collectives is not None
    return found.job_collectives


def bounds_in(found: Analysis) -> CpuGaps:
    assert found.cpu_gaps is not None
    return found.cpu_gaps


def test_the_late_rank_makes_the_other_wait(two: Path) -> None:
    found = latitude.analyze(latitude.load(two))
    assert found.baseline.T_ns == 110_000
    (group,) = collectives_in(found).groups
    assert (group.group, group.ranks, group.kind, group.collectives) == ("data", 2, "all_reduce", 1)
    assert (group.bytes, group.waiting_ns, group.transfer_ns) == (4096, 39_000, 40_000)
    assert (group.lambda_L, group.path_ns) == (2, 20_000)
    ranks = collectives_in(found).ranks
    assert ranks.last.tolist() == [0, 1]
    assert ranks.waiting_ns.tolist() == [39_000, 0]
    assert ranks.delaying_ns.tolist() == [0, 39_000]
    assert collectives_in(found).dependencies == {"after": 2}


def test_what_runs_beside_computation_is_not_exposed(tmp_path: Path) -> None:
    other = [{"rank": r, "on": "stream 9", "ns": 70_000} for r in (0, 1)]
    path = job_file(tmp_path, *steps(0, 1_000, 50_000, 0), *steps(1, 60_000, 30_000, 3), *other)
    (group,) = collectives_in(latitude.analyze(latitude.load(path))).groups
    # rank 0 is in the collective from 51 to 110 us, rank 1 from 90; others compute until 70 us
    assert group.exposed_ns == 40_000 + 20_000


def test_the_sender_of_an_eager_message_does_not_wait(tmp_path: Path) -> None:
    part = {"group": "data", "sequence": 0, "kind": "eager_send", "bytes": 11}
    entries = [
        {"rank": 0, "on": "stream 7", "ns": 5_000},
        {"rank": 0, "on": "stream 7", "ns": 0, "collective": part},
        {"rank": 0, "on": "stream 7", "ns": 1_000},
        {"rank": 1, "on": "stream 7", "ns": 2_000},
        {"rank": 1, "on": "stream 7", "ns": 0, "collective": part},
    ]
    network = latitude.Network(L=7_000, o=0, G=1)
    found = latitude.analyze(latitude.load(job_file(tmp_path, *entries)), network)
    assert found.baseline.T_ns == 5_000 + 7_000 + 10
    (group,) = collectives_in(found).groups
    assert (group.waiting_ns, group.transfer_ns) == (3_000, 7_010)
    assert collectives_in(found).ranks.waiting_ns.tolist() == [0, 3_000]
    assert collectives_in(found).ranks.last.tolist() == [1, 0]


def test_the_path_is_divided_among_the_parts_of_the_program(tmp_path: Path) -> None:
    entries = [*steps(0, 1_000, 50_000, 0), *steps(1, 60_000, 30_000, 3)]
    for entry, name in zip(entries, ["", "layer 1", "layer 1", "data", "layer 0", "layer 1"],
                           strict=True):  # fmt: skip
        entry["name"] = name
    found = latitude.analyze(latitude.load(job_file(tmp_path, *entries)))
    rows = [(r.module, r.lambda_L, r.cpu_ns, r.gpu_ns, r.communication_ns)
            for r in found.job_modules]  # fmt: skip
    assert rows == [
        ("layer 1", 2, 0, 0, 20_000), ("data", 0, 60_000, 0, 0), ("layer 0", 0, 0, 30_000, 0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "runtime"),
    [
        ("gpu=0.5", 95_000),
        ("cpu=0", 70_000),
        ("balanced", 120_000),
        ("layer 0=0", 80_000),
    ],
)
def test_were_a_job_s_computation_otherwise(asked: str, runtime: float, tmp_path: Path) -> None:
    entries = [*steps(0, 1_000, 50_000, 0), *steps(1, 60_000, 30_000, 3)]
    entries[4]["name"] = "layer 0"
    found = latitude.analyze(latitude.load(job_file(tmp_path, *entries)), what_if=[asked])
    assert found.what_if[0].T_ns == runtime


def test_a_part_that_a_job_lacks_is_one_line(two: Path, refused: Callable[..., str]) -> None:
    said = refused("analyze", two, "--what-if", "solve=0.5")
    assert "nothing here is called 'solve'; there is gpu, cpu" in said


def test_the_first_lines_say_what_bounds_the_step(two: Path, latitude: Callable[..., Any]) -> None:
    said = " ".join(latitude("analyze", two).stdout.split())
    assert "The step is bound by its CPUs' launches: 54.5% of its runtime." in said
    assert "it would run 70 µs, bound by the GPU" in said


def test_the_critical_path_is_split_into_cpu_gpu_and_communication(two: Path) -> None:
    rows = bounds_in(latitude.analyze(latitude.load(two))).bounds
    found = [(row.factor, row.T_ns, row.cpu_ns, row.gpu_ns, row.communication_ns) for row in rows]
    assert found == [
        (1, 110_000, 60_000, 30_000, 20_000),
        (0, 70_000, 0, 50_000, 20_000),
    ]
    assert [row.tolerance_ns for row in rows] == [550, 350]


def test_all_answers_are_those_with_the_chosen_gaps(two: Path) -> None:
    program = latitude.load(two)
    half = latitude.analyze(program, cpu_gaps=0.5)
    assert half.baseline.T_ns == 80_000
    assert [row.factor for row in bounds_in(half).bounds] == [1, 0.5, 0]
    assert latitude.analyze(program, cpu_gaps="none").baseline.T_ns == 70_000


def test_the_factor_follows_from_the_step_s_time(two: Path) -> None:
    found = latitude.analyze(latitude.load(two), step="95us")
    assert found.baseline.T_ns == pytest.approx(95_000, abs=1)
    assert bounds_in(found).chosen == pytest.approx(0.75, abs=1e-4)


def test_without_streams_no_row_is_without_the_cpu_s_time(tmp_path: Path) -> None:
    entries = [{"rank": 0, "on": "cpu", "ns": 10, "collective": {**PART, "group": "own"}}]
    job = json.loads(job_file(tmp_path, *entries, ranks=1).read_text())
    job["groups"] = {"own": [0]}
    (tmp_path / "own.job.json").write_text(json.dumps(job))
    found = latitude.analyze(latitude.load(tmp_path / "own.job.json"))
    assert [row.factor for row in bounds_in(found).bounds] == [1]


def test_sections_about_calls_are_left_out_of_jobs_and_those_of_jobs_elsewhere(
    two: Path, two_ranks: Path
) -> None:
    left = {each.what for each in latitude.analyze(latitude.load(two)).left_out}
    assert {"waits", "slack of messages", "MPI calls"} <= left
    goal = latitude.analyze(latitude.load(two_ranks))
    assert (goal.job_collectives, goal.cpu_gaps) == (None, None)


def test_groups_that_take_most_time_come_first(tmp_path: Path) -> None:
    sums = [{**PART, "group": name, "sequence": 0} for name in ("short", "long", "middle")]
    entries = [
        {"rank": rank, "on": "stream 7", "ns": ns, "collective": part}
        for rank in range(2)
        for part, ns in zip(sums, (1_000, 9_000, 4_000), strict=True)
    ]
    path = job_file(tmp_path, *entries)
    job = json.loads(path.read_text())
    path.write_text(json.dumps({**job, "groups": {part["group"]: [0, 1] for part in sums}}))
    groups = collectives_in(latitude.analyze(latitude.load(path))).groups
    assert [each.group for each in groups] == ["long", "middle", "short"]


def test_what_is_read_back_is_what_was_found(two: Path, tmp_path: Path) -> None:
    found = latitude.analyze(latitude.load(two))
    (tmp_path / "analysis.json").write_text(found.to_json())
    assert read_analysis(tmp_path / "analysis.json").to_json() == found.to_json()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--step", "1us"), "--step: the recorded steps take 70 µs without CPU gaps and 110 µs"),
        (("--step", "90us", "--cpu-gaps", "0.5"), "give one of them"),
        (("--cpu-gaps", "-1"), "cpu-gaps"),
        (("--cpu-gaps", "some"), "cpu-gaps"),
    ],
)
def test_gaps_that_cannot_be_are_one_line(
    options: tuple[str, ...], why: str, two: Path, refused: Callable[..., str]
) -> None:
    assert why in refused("analyze", two, *options)


def test_an_mpi_program_has_no_cpu_gaps(two_ranks: Path, refused: Callable[..., str]) -> None:
    assert "for jobs of PyTorch alone" in refused("analyze", two_ranks, "--cpu-gaps", "none")


def test_page_and_terminal_show_both_sections(
    two: Path, tmp_path: Path, latitude: Callable[..., Any]
) -> None:
    done = latitude("analyze", two, "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "What bounds the step" in done.stdout
    assert "all-reduce in group data of 2" in done.stdout
    page = (tmp_path / "out" / "report.html").read_text()
    assert "Waiting and transfer in collectives" in page
    rows = (tmp_path / "out" / "collectives.csv").read_text().splitlines()
    assert rows[1].startswith("data,1,2,all_reduce,1,4096")


def test_two_jobs_are_not_compared_by_their_calls(two: Path, refused: Callable[..., str]) -> None:
    assert "a job has no waits in MPI calls to compare" in refused("diff", two, two)
