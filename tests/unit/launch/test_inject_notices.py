"""Whether messages had the latency that was asked for, from what ranks counted."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from latitude.launch.child import Ended
from latitude.launch.injecting.described import described
from latitude.launch.injecting.latency import parse_latency
from latitude.launch.injecting.recorded import Counted, Delays
from latitude.launch.injecting.session import Injected, InjectionRequest
from latitude.results.injection import FLOW, VERBS, Layer
from support.schemas import document

US = 1_000
MS = 1_000_000


def delays(*times_ns: int) -> Delays:
    """Each in a cell of its own, which holds the sum."""
    return Delays(np.ones(len(times_ns), dtype=np.uint64), np.array(times_ns, dtype=np.uint64))


def counted(asked: Delays, achieved: Delays, rank: int = 0, *, waited: bool = True) -> Counted:
    """A rank that ended well; `waited`: for whatever came late."""
    late = achieved.sum_ns.astype(int) - asked.sum_ns.astype(int) if waited else np.zeros(1, int)
    return Counted(
        path=Path("rank-0000000.inj"),
        rank=rank,
        process=1,
        host="a",
        on=True,
        refused=False,
        in_vain=False,
        hooked=1,
        delayed=asked.total,
        passed=0,
        late=int((late > 0).sum()),
        late_ns=int(late[late > 0].sum()),
        loads=1,
        ended=True,
        started_ns=0,
        runtime_ns=1000,
        ranks=1,
        cpu_s=0.0,
        delayed_transports=["tcp"],
        other_transports=[],
        libraries=[],
        off="",
        asked=asked,
        achieved=achieved,
    )


def injected(*counts: Counted, layer: Layer = FLOW) -> Injected:
    request = InjectionRequest(("app",), Path(), layer=layer, latency=parse_latency("20us"))
    ranks = [replace(each, ranks=len(counts)) for each in counts]
    return Injected(request, None, Ended.of(0, 1.0), ranks)


@pytest.mark.parametrize(
    ("asked_ns", "achieved_ns", "late"),
    [
        (20 * US, 10 * MS, True),  # a busy host
        (20 * US, 70 * US, False),  # 50 µs more, what a sleep may last longer
        (20 * US, 71 * US, True),
        (2 * MS, 2_200 * US, False),  # a tenth more
        (2 * MS, 2_201 * US, True),
        (2 * MS, 1 * MS, False),
        (0, 0, False),
        (0, 51 * US, True),
    ],
)
def test_what_is_later_than_asked_is_told(asked_ns: int, achieved_ns: int, late: bool) -> None:
    one = counted(delays(asked_ns, asked_ns), delays(achieved_ns, achieved_ns))
    result = described(injected(one))
    expected = ["later-than-asked"] * late
    assert [notice.code for notice in result.warnings] == expected
    assert [each["code"] for each in document(result.to_json())["warnings"]] == expected


def test_the_mean_is_over_all_ranks() -> None:
    """One of two is 80 µs late, together they are 40 µs late."""
    asked = delays(20 * US)
    ranks = [counted(asked, delays(100 * US)), counted(asked, asked, rank=1)]
    assert described(injected(*ranks)).warnings == ()
    ranks[1] = counted(asked, delays(60 * US), rank=1)
    (notice,) = described(injected(*ranks)).warnings
    assert notice.message.startswith("messages took 60 µs longer on average than the asked 20 µs")
    assert notice.hint.startswith("give each rank a core of its own")


def test_at_the_verbs_the_sender_was_late() -> None:
    (notice,) = described(injected(counted(delays(0), delays(MS)), layer=VERBS)).warnings
    assert notice.message.startswith("posts waited 1 ms longer on average than the asked 0 ns")


def test_what_came_late_for_ranks_that_computed_is_not_told() -> None:
    computed = counted(delays(20 * US), delays(10 * MS), waited=False)
    result = described(injected(computed))
    assert result.warnings == ()
    assert (result.late, result.late_mean_ns) == (0, 0)
    assert result.achieved.mean_ns == 10 * MS


def test_what_delayed_nothing_is_not_late() -> None:
    nobody = counted(delays(), delays())
    assert described(injected(nobody)).warnings == ()
