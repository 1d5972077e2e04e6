"""The verbs injector in virtual time: the wait before each post to a send queue ([U] §3.1).

[U] is Underwood, Anderson and Apon (ICPE'18).
"""

from pathlib import Path

import numpy as np
import pytest

from support.virtual.injected import Event, Simulated, build_injector, build_program, drawn, times

POST, GAP, DELAY = 200, 5_000, 20_037


@pytest.fixture(scope="session")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("verbs")
    build_injector(directory, 1)
    build_program(directory, "virtual_verbs", "ibverbs")
    return directory


@pytest.fixture
def simulated(builds: Path, tmp_path: Path) -> Simulated:
    return Simulated(builds, tmp_path)


def posted(simulated: Simulated, *actions: str, **options: int) -> list[Event]:
    return simulated.ranks("virtual_verbs", "verbs", *actions, post=POST, **options)


@pytest.mark.parametrize("ticks", [1_000, 2_000, 2_500, 500])
@pytest.mark.parametrize("delay", [0, 1, 1_000, DELAY])
def test_a_post_waits_for_its_delay(simulated: Simulated, delay: int, ticks: int) -> None:
    """The wait is as exact as a counter with this many ticks in 1,000 ns."""
    simulated.ask(delay)
    events = posted(simulated, f"post:1:3:{GAP} batch:1:3:{GAP}", ticks=ticks)
    begun, returned = times(events, "begun"), times(events, "returned")
    coarse = 1 if ticks < 1_000 else 0
    handed = sorted(times(events, "posted") + times(events, "started"))
    for begin, hand, end in zip(begun, handed, returned, strict=True):
        assert delay - coarse <= hand - begin <= delay + coarse
        assert end - hand == POST
    report = simulated.report(0)
    assert (report.delayed, report.passed) == (6, 0)
    assert report.asked[:, 1].sum() == 6 * delay
    assert report.late_ns <= 6 * coarse
    if ticks == 1_000:
        np.testing.assert_array_equal(report.asked, report.achieved)


def test_delays_are_those_of_the_seed(simulated: Simulated) -> None:
    table = np.random.default_rng(5).permutation(4096)
    simulated.ask(table)
    events = posted(simulated, f"post:1:500:{GAP} batch:1:500:{GAP}")
    handed = sorted(times(events, "posted") + times(events, "started"))
    waited = np.array(handed) - np.array(times(events, "begun"))
    np.testing.assert_array_equal(waited, drawn(table, 1000, simulated.seed, 0))


def test_what_a_wait_takes_itself_is_a_part_of_the_delay(simulated: Simulated) -> None:
    """Two looks at the counter, one before the delay is drawn: only the last is on top."""
    look = 20
    simulated.ask(DELAY)
    events = posted(simulated, f"post:1:2:{GAP}", clock=look)
    for begun, handed in zip(times(events, "begun"), times(events, "posted"), strict=True):
        assert handed - begun == DELAY + look


@pytest.mark.parametrize("each", [False, True])
def test_a_list_of_requests_waits_once_or_each_does(simulated: Simulated, each: bool) -> None:
    requests = 3
    simulated.ask(DELAY)
    if each:
        simulated.environment["LATITUDE_INJECT_PER_WR"] = "1"
    events = posted(simulated, f"post:{requests} batch:{requests}")
    post, batch = times(events, "begun")
    waits = requests if each else 1
    assert times(events, "posted") == [post + waits * DELAY]
    assert times(events, "started") == [batch + DELAY]
    between = POST + (DELAY if each else 0)
    assert times(events, "requested") == [batch + DELAY + i * between for i in range(requests)]
    assert simulated.report(0).delayed == 2 * waits


def test_without_a_table_nothing_waits(simulated: Simulated) -> None:
    simulated.ask(DELAY)
    (simulated.directory / "table.seed").write_text("7\n")
    (simulated.directory / "table.dist").write_text("# of no use\n")
    simulated.complaint = "latitude: warning: no latency is injected: "
    events = posted(simulated, "post:1:2 batch:1:2")
    handed = sorted(times(events, "posted") + times(events, "started"))
    assert handed == times(events, "begun")
    assert (simulated.report(0).delayed, simulated.report(0).passed) == (0, 4)
