"""The verbs injector on a real RDMA stack: soft-RoCE in an emulated machine, one boot for all.

Emulation makes averages noisy, so least times are compared: they rise by what was asked. Delays are
long beside what the emulated programs take by themselves, 10 to 80 µs, as that doubles when others
use the machine's cores.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from latitude.distributions.specification import parse_table
from latitude.distributions.table import write_table
from support.guest.machine import GuestError, Result, Step, run
from support.mpi.library import mpich, openmpi
from support.paths import SUPPORT

pytestmark = pytest.mark.machine
GUEST = SUPPORT / "guest"
LIMIT_S = 900
POSTS, BATCHES, REQUESTS, ROUNDS, RUNS = 500, 200, 4, 4, 3
ON_NODE = "--intra-node --force"
LONG_MS = 200
# Pollers may leave the device's kernel threads no processor but once in 4 ms, for a whole run.
REPEATED = ("sh", "-c", f'for i in $(seq {RUNS}); do "$@" || exit; done', "sh")
MPIS = {"mpich": mpich, "openmpi": openmpi}
# Both ranks are on one node, on one device, whose GIDs UCX's wire-up would not accept.
OVER_VERBS = {
    "UCX_TLS": "rc_v,self",
    "UCX_UD_VERBS_ETH_DGID_CHECK": "n",
    "MPIR_CVAR_NOLOCAL": "1",
    "OMPI_MCA_pml": "ucx",
    "OMPI_MCA_pml_ucx_tls": "any",
    "OMPI_MCA_pml_ucx_devices": "any",
}


def environment(builds: Path) -> dict[str, str]:
    """What `latitude` and the programs need in the guest."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return {**kept, "HOME": "/root", "XDG_CACHE_HOME": str(builds / "cache")}


def steps(builds: Path, directory: Path) -> list[Step]:
    """Each program alone, then under the injector."""
    batch = directory / "batch"
    source = GUEST / "programs" / "batch.c"
    compiler = os.environ.get("CC", "cc")
    words = ["-O2", "-Wall", "-Wextra", "-Werror", source, "-libverbs", "-o", batch]
    subprocess.run([compiler, *words], check=True)
    table = directory / "table.dist"
    write_table(parse_table("uniform(loc=100us,scale=100us)"), table, seed=7)
    here = environment(builds)
    found = []

    def plain(name: str, *words: object, **more: str) -> None:
        found.append(Step(name, [*map(str, words)], {**here, **more}))

    def injected(name: str, what: str, *words: object, **more: str) -> None:
        latitude = [sys.executable, "-m", "latitude", "inject", *what.split()]
        command = [*latitude, "-o", name, "--", *map(str, words)]
        found.append(Step(name, command, {**here, **more}, files=[f"{name}/inject.json"]))

    def perftest(kind: str) -> list[object]:
        return [*REPEATED, GUEST / "pair.sh", f"ib_{kind}_lat", "-F", "-s", 8, "-n", POSTS]

    for kind in ("write", "send"):
        plain(kind, *perftest(kind))
        injected(f"{kind}-100", "--verbs 100us", *perftest(kind))
        injected(f"{kind}-1000", "--verbs 1ms", *perftest(kind))
    injected("table", f"--verbs {table}", *perftest("write"))
    for how in ("post", "wr"):
        batches = (*REPEATED, batch, "rxe0", BATCHES, REQUESTS, how)
        plain(how, *batches)
        injected(f"{how}-1000", "--verbs 1ms", *batches)
        injected(f"{how}-1000-each", "--verbs 1ms --per-wr", *batches)
        plain(f"{how}-again", *batches)
    for name, library in MPIS.items():
        mpi = library(builds)
        launch = mpi.run(2, mpi.program("pingpong.c"))
        more = {**mpi.settings, **OVER_VERBS}
        plain(name, *REPEATED, *launch, "/tmp", ROUNDS, 8, 0, **more)  # noqa: S108
        # All delays in one run, in turn.
        tables = (f"{name}-tables", ROUNDS, 8, 0, 100_000, 1_000_000)
        injected(f"{name}-tables", "--verbs 0", *launch, *tables, **more)
    # The other injector, over the same transport.
    mpi = openmpi(builds)
    more = {**mpi.settings, **OVER_VERBS}
    pingpong = ("flow", ROUNDS // 2, 8, 0, 1_000_000)
    injected(
        "flow", f"--flow 0 {ON_NODE}", *mpi.run(2, mpi.program("pingpong.c"), *pingpong), **more
    )
    large = mpi.run(2, mpi.program("to_itself.c"), ROUNDS // 2, 1_000_000)
    injected("flow-itself", f"--flow {LONG_MS}ms {ON_NODE}", *large, **more)
    found.append(Step("stuck", ["sh", "-c", "echo before; sleep 1000"], here, limit_s=1))
    return found


@pytest.fixture(scope="module")
def guest(builds: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Result]:
    """What all programs came to."""
    directory = tmp_path_factory.mktemp("guest")
    # Builds the injector where it takes a second: the guest's compiler is ten times slower.
    words = [sys.executable, "-m", "latitude", "inject", "--verbs", "0", "--", "true"]
    subprocess.run(words, cwd=directory, env=environment(builds), check=False, capture_output=True)
    found = steps(builds, directory)
    try:
        return run(found, directory, LIMIT_S)
    except GuestError as error:  # its kernel has stalled on a machine that others used
        sys.stderr.write(f"{error}\nThe guest is booted once more.\n")
        return run(found, tmp_path_factory.mktemp("guest"), LIMIT_S)


def done(guest: Mapping[str, Result], name: str) -> Result:
    """A step that succeeded."""
    result = guest[name]
    assert result.status == 0, f"{name}: {result.stdout}{result.stderr}"
    return result


def counted(guest: Mapping[str, Result], name: str) -> dict[str, Any]:
    """inject.json of a step."""
    text = done(guest, name).files[f"{name}/inject.json"]
    return json.loads(text)  # type: ignore[no-any-return]


def perftest_us(guest: Mapping[str, Result], name: str) -> float:
    """The least latency: that of 8 bytes, third column of the lines that begin with them."""
    lines = (line.split() for line in done(guest, name).stdout.splitlines())
    return min(float(words[2]) for words in lines if words[:2] == ["8", str(POSTS)])


def post_us(guest: Mapping[str, Result], *names: str) -> float:
    """The least time of a batch's post."""
    found = [int(word) for name in names for word in done(guest, name).stdout.split()]
    assert len(found) == RUNS * len(names)
    return min(found) / 1000


def pingpong_us(guest: Mapping[str, Result], name: str) -> dict[int, float]:
    """Least half round trip by the delay asked, µs."""
    least: dict[int, float] = {}
    for words in (line.split() for line in done(guest, name).stdout.splitlines()):
        if len(words) == 4 and words[0].isdigit():  # UCX logs, too
            asked_us, found_us = int(words[0]) // 1000, float(words[1]) / 1000
            least[asked_us] = min(found_us, least.get(asked_us, found_us))
    return least


def risen_by(rise: float, asked: float) -> bool:
    """Not less, and nowhere near two delays: an emulated machine beside others takes longer."""
    return 0.9 * asked <= rise <= 1.4 * asked


@pytest.mark.parametrize("kind", ["write", "send"])
@pytest.mark.parametrize("asked_us", [100, 1000])
def test_perftest_rises_by_what_was_asked(
    guest: Mapping[str, Result], kind: str, asked_us: int
) -> None:
    name = f"{kind}-{asked_us}"
    rise = perftest_us(guest, name) - perftest_us(guest, kind)
    assert risen_by(rise, asked_us)
    result = counted(guest, name)
    assert result["delayed"] == RUNS * 2 * POSTS  # client and server
    assert result["asked"]["p50_ns"] == pytest.approx(1000 * asked_us, rel=0.01)
    assert result["achieved"]["p50_ns"] == pytest.approx(1000 * asked_us, rel=0.1)


def test_a_table_is_achieved(guest: Mapping[str, Result]) -> None:
    """Uniform from 100 to 200 µs; the half round trip's least is that of the least two delays."""
    rise = perftest_us(guest, "table") - perftest_us(guest, "write")
    assert 0.9 * 100 <= rise <= 1.1 * 150
    result = counted(guest, "table")
    assert result["seed"] == 7
    for share, expected in (("p1", 101_000), ("p50", 150_000), ("p95", 195_000)):
        assert result["asked"][f"{share}_ns"] == pytest.approx(expected, rel=0.05)
    assert result["achieved"]["p50_ns"] == pytest.approx(150_000, rel=0.1)


@pytest.mark.parametrize("how", ["post", "wr"])
@pytest.mark.parametrize(("option", "delays"), [("", 1), ("-each", REQUESTS)])
def test_the_post_of_a_batch_waits_once_or_for_each_request(
    guest: Mapping[str, Result], how: str, option: str, delays: int
) -> None:
    name = f"{how}-1000{option}"
    rise = post_us(guest, name) - post_us(guest, how, f"{how}-again")
    assert risen_by(rise, 1000 * delays)
    result = counted(guest, name)
    assert result["delayed"] == RUNS * BATCHES * delays
    kinds = {"post": "(post_send)", "wr": "(post_send, wr_start)"}
    assert f"posts delayed {kinds[how]}" in done(guest, name).stderr


@pytest.mark.parametrize("mpi", MPIS)
def test_mpi_over_ucx_rises_by_what_was_asked(guest: Mapping[str, Result], mpi: str) -> None:
    without = pingpong_us(guest, mpi)[0]
    times = pingpong_us(guest, f"{mpi}-tables")
    assert times[0] - without < 50  # far from the least delay
    assert risen_by(times[100] - times[0], 100)
    assert risen_by(times[1000] - times[0], 1000)
    # Three delays, 170 round trips each.
    assert counted(guest, f"{mpi}-tables")["delayed"] >= ROUNDS * 3 * 170 * 2


def test_the_flow_injector_delays_what_goes_over_rdma(guest: Mapping[str, Result]) -> None:
    times = pingpong_us(guest, "flow")
    assert risen_by(times[1000] - times[0], 1000)
    transports = counted(guest, "flow")["processes"][0]["delayed_transports"]
    assert "rc_verbs" in transports


def test_large_messages_to_oneself_are_not_delayed_over_rdma(guest: Mapping[str, Result]) -> None:
    output = done(guest, "flow-itself").stdout
    alone, beside, others = (int(line) / 1e6 for line in output.split())
    assert max(alone, beside) < LONG_MS  # an emulated machine takes 30 to 100 ms for the data
    assert others > 3 * LONG_MS  # a rendezvous


def test_a_step_that_hangs_is_stopped(guest: Mapping[str, Result]) -> None:
    assert guest["stuck"].status is None
    assert guest["stuck"].stdout == "before\n"


def test_a_guest_that_hangs_is_stopped_with_its_console(tmp_path: Path) -> None:
    with pytest.raises(GuestError, match="stopped after 1 s, before 'never' was done"):
        run([Step("never", ["true"], {})], tmp_path, limit_s=1)
