"""b from saved queues of several Slurm versions ([B] eq. 1 and 2)."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latitude import InputError
from latitude.distributions.table import lines_of
from latitude.lab.cluster import QueuedJob, background, read_queue, slurm
from latitude.lab.cluster.jobs import NOT_RUNNING, RUNNING
from latitude.lab.cluster.squeue_json import parse_json
from latitude.lab.cluster.squeue_text import parse_text
from latitude.lab.cluster.topology import read_topology
from latitude.model.hostfile import hosts_of_ranks
from latitude.units.host_lists import folded, hosts, listed
from support.paths import DATA
from support.schemas import document

QUEUES = DATA / "squeue"
SAVED = ("21.08.json", "23.02.json", "23.11.json", "24.05.json", "text.txt")
Refused = Callable[..., str]


def job(name: str, nodes: str, state: str = "RUNNING") -> QueuedJob:
    return QueuedJob(name, frozenset({state}), hosts(nodes, "test"))


@pytest.mark.parametrize("name", SAVED)
def test_every_layout_gives_the_b_counted_by_hand(name: str) -> None:
    found = background(read_queue(QUEUES / name), 10)  # data/squeue/README.md
    assert (found.N_c, found.N_t, found.N_c_repeated, found.N_a) == (9, 10, 11, 12)
    assert found.b == pytest.approx(0.825)
    assert found.b_unique == pytest.approx(0.9)
    assert found.shared == 2
    jobs = found.jobs
    assert (jobs.communicating, jobs.one_node, jobs.pending, jobs.other) == (4, 1, 1, 2)
    assert (jobs.unknown, found.warnings) == (0, ())


def test_the_queue_captured_from_slurm_22_05() -> None:
    found = background(read_queue(QUEUES / "22.05.json"), 6)
    assert (found.N_c, found.N_c_repeated, found.N_a) == (4, 5, 6)
    assert found.b == pytest.approx(4 / 6 * 5 / 6)


def test_ones_own_job_can_be_left_out() -> None:
    found = background(read_queue(QUEUES / "24.05.json"), 10, exclude=["102", "110"])
    assert (found.N_c, found.N_c_repeated, found.N_a) == (6, 6, 7)
    assert found.jobs.excluded == 2
    assert "no-such-job" not in [notice.code for notice in found.warnings]


def test_a_job_to_leave_out_that_the_queue_does_not_have_is_named() -> None:
    found = background(read_queue(QUEUES / "24.05.json"), 10, exclude=["102", "999"])
    assert found.jobs.excluded == 1
    (notice,) = [each for each in found.warnings if each.code == "no-such-job"]
    assert "999" in notice.message
    assert "102" not in notice.message


def test_an_empty_queue_and_one_without_traffic_have_b_0() -> None:
    assert background([], 10).b == 0
    assert background([job("1", "n1"), job("2", "n2")], 10).b == 0
    assert background([job("1", "n[1-4]", "PENDING")], 10).N_a == 0


def test_everybody_communicating_everywhere_is_b_1() -> None:
    assert background([job("1", "n[1-4]"), job("2", "n[5-8]")], 8).b == 1


@pytest.mark.parametrize("state", sorted(NOT_RUNNING))
def test_only_running_jobs_count(state: str) -> None:
    assert background([job("1", "n[1-4]", state)], 8).N_a == 0


@pytest.mark.parametrize("state", sorted(RUNNING))
def test_running_jobs_under_other_names_count(state: str) -> None:
    assert background([job("1", "n[1-4]", state)], 8).N_c == 4


@pytest.mark.parametrize(
    ("states", "counts"),
    [
        (["RUNNING", "COMPLETING"], False),
        (["RUNNING", "CONFIGURING"], False),
        (["RUNNING", "UPDATE_DB"], True),
        (["RUNNING", "BRAND_NEW"], True),
        (["BRAND_NEW"], False),
    ],
)
def test_states_with_flags(states: list[str], counts: bool) -> None:
    found = background([QueuedJob("1", frozenset(states), hosts("n[1-2]", "test"))], 8)
    assert (found.N_c == 2) is counts
    assert bool(found.warnings) is ("BRAND_NEW" in states)


def test_unknown_states_are_named_and_left_out() -> None:
    found = background([job("1", "n[1-2]", "LEVITATING"), job("2", "n[3-4]")], 8)
    assert found.jobs.unknown == 1
    assert found.N_c == 2
    assert "'LEVITATING' (1)" in found.warnings[0].message


def test_running_jobs_without_nodes_are_a_warning() -> None:
    found = background([job("1", "")], 8)
    assert found.b == 0
    assert found.warnings[0].code == "running-without-nodes"


@given(
    st.lists(
        st.frozensets(st.integers(1, 12), min_size=1, max_size=6).map(
            lambda nodes: QueuedJob("1", frozenset({"RUNNING"}), frozenset(f"n{i}" for i in nodes))
        ),
        max_size=8,
    )
)
def test_b_lies_between_0_and_eq_1(jobs: list[QueuedJob]) -> None:
    found = background(jobs, 12)
    assert 0 <= found.b <= found.b_unique <= 1
    assert found.N_c <= found.N_c_repeated <= found.N_a
    alone = [one for one in jobs if len(one.nodes) > 1]
    assert background(alone, 12).b == pytest.approx(found.b_unique)


@given(st.frozensets(st.integers(0, 3000), min_size=1, max_size=40))
def test_host_lists_there_and_back(numbers: frozenset[int]) -> None:
    names = frozenset(f"node{number:04d}" for number in numbers)
    assert hosts(folded(names), "test") == names


@pytest.mark.thorough
@given(st.frozensets(st.from_regex(r"[a-c]{1,2}[0-9]{0,3}([a-c][0-9]{0,3})?", fullmatch=True)))
def test_names_of_any_kind_there_and_back(names: frozenset[str]) -> None:
    assert hosts(folded(names), "test") == names


def test_a_list_keeps_its_order_and_repeats() -> None:
    assert listed("b[2-3]x,a,b[2-3]x,a[01]", "test") == ["b2x", "b3x", "a", "b2x", "b3x", "a01"]


def lines_run(work: Callable[[], object]) -> int:
    """Number of Python lines that a call runs."""
    count = 0

    def trace(_frame: object, event: str, _argument: object) -> object:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("name", ["node{:05d}", "r{}n7", "{}x{}"])
def test_lists_of_names_take_linear_work(name: str) -> None:
    def both(count: int) -> None:
        names = [name.format(i, i * i) for i in range(count)]
        assert hosts(folded(hosts(",".join(names), "test")), "test") == set(names)

    lines_run(lambda: both(1))  # imports
    assert lines_run(lambda: both(800)) < 3 * lines_run(lambda: both(400))


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("node[001-", "missing bracket"),
        ("node1,,node2", "a comma without a name"),
        ("node]1[", "missing bracket"),
        ("node[3-1]", "bad range"),
        ("node[a-b]", "bad range"),
        ("node1 node2", "is not a host list such as"),
        ("(Priority)", "is not a host list such as"),
        ("node[1-99999999999]", "over 1,000,000 nodes"),
        ("@all", "is not a host list such as"),
    ],
)
def test_wrong_host_lists(refused: Refused, tmp_path: Path, text: str, advice: str) -> None:
    path = tmp_path / "queue.txt"
    path.write_text(f"JOBID|STATE|NODELIST\n1|RUNNING|node1\n2|RUNNING|{text}\n")
    error = refused("background", "now", "--queue", path, "--nodes", "10")
    assert advice in error
    assert f"{path}:3: " in error


@pytest.mark.parametrize(
    ("content", "advice"),
    [
        ("", "no column JOBID or STATE or NODELIST between |"),
        ("  JOBID PARTITION NAME USER ST\n", "save the output of `squeue --all -o '%A|%i|"),
        ("JOBID|STATE|NODELIST|NAME\n1|RUNNING|n1|a|b\n", ":2: 5 columns instead of 4"),
        ("JOBID|STATE|NODELIST\n|RUNNING|n1\n", ":2: no job number or no state"),
        ('{"jobs": ', "not JSON"),
        ('{"jobs": 3}', "no list 'jobs'"),
        ('{"jobs": [3]}', "job 0 is not an object"),
        ('{"jobs": [{"job_state": "RUNNING"}]}', "has no 'job_id'"),
        ('{"jobs": [{"job_id": 3}]}', "job 0 (3) has no 'job_state'"),
        ('{"jobs": [{"job_id": 3, "job_state": [4]}]}', "has no 'job_state'"),
        ('{"jobs": [], "errors": [{"error": "down"}]}', "Slurm reports an error"),
    ],
)
def test_wrong_queues(refused: Refused, tmp_path: Path, content: str, advice: str) -> None:
    path = tmp_path / "queue"
    path.write_text(content)
    assert advice in refused("background", "now", "--queue", path, "--nodes", "10")


def test_wrong_sizes_of_the_cluster(refused: Refused) -> None:
    queue = ("background", "now", "--queue", QUEUES / "text.txt")
    assert "add --nodes N" in refused(*queue)
    assert "jobs run on 9 nodes of a cluster of 4" in refused(*queue, "--nodes", "4")
    assert "'0' is not a number of nodes" in refused(*queue, "--nodes", "0")


def test_het_jobs_of_one_node_each_communicate() -> None:
    text = "JOBID|JOBID|STATE|NODES|NODELIST\n7|7+0|RUNNING|1|a1\n8|7+1|RUNNING|1|a2\n"
    assert background(parse_text(text, "test"), 4).N_c == 2
    record = {"job_id": 8, "job_state": "RUNNING", "nodes": "a2", "het_job_id": 7}
    leader = {**record, "job_id": 7, "nodes": "a1"}
    found = parse_json(json.dumps({"jobs": [leader, record]}), "test")
    assert [(one.id, len(one.nodes)) for one in found] == [("7", 2)]


def test_the_numbers_on_the_terminal(latitude: Callable[..., object], tmp_path: Path) -> None:
    queue = ("background", "now", "--queue", QUEUES / "23.11.json", "--nodes", "10")
    done = latitude(*queue)
    assert "b = 0.825 (82.5%)" in done.stdout  # type: ignore[attr-defined]
    assert "N'_c   11" in done.stdout  # type: ignore[attr-defined]
    latitude(*queue, "--json", tmp_path / "b.json")
    content = document((tmp_path / "b.json").read_text())
    assert content["b"] == pytest.approx(0.825)
    assert content["jobs"]["communicating"] == 4


@pytest.mark.parametrize(
    "nodes", ["n[0-99999]x[0-99999]", "n[0-9999999999]", "a,n[1-600000],m[1-600000]"]
)
def test_a_host_list_of_more_nodes_than_any_machine_has(nodes: str) -> None:
    with pytest.raises(InputError, match="is over 1,000,000 nodes"):
        hosts(nodes, "here")


def test_host_lists_with_several_ranges() -> None:
    assert len(hosts("n[0-10]x[1-2],b[1,3-4],login", "here")) == 22 + 3 + 1


@pytest.mark.parametrize("text", ['{"jobs": ' + "[" * 100_000, '{"jobs": [' + "9" * 5001 + "]}"])
def test_json_that_the_parser_refuses_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "queue"
    path.write_text(text)
    with pytest.raises(InputError, match="queue: not JSON"):
        read_queue(path)


@pytest.mark.parametrize("read", [read_queue, read_topology, hosts_of_ranks, lines_of])
def test_what_never_ends_is_not_begun(read: Callable[[Path], object], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(InputError, match="is a pipe or a device"):
            read(path)


def test_an_answer_that_never_ends_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slurm, "MOST_BYTES", 1 << 16)
    with pytest.raises(InputError, match="yes: printed more than 64 KiB"):
        slurm.ask(("yes",))
