"""The programs that run in the guest, alone and under the injector, and what they came to.

Emulation makes averages noisy, so least times are read. Delays are long compared with the programs'
own 10 to 80 µs, which double if others use the machine's cores.
"""

import json
import os
import subprocess
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from latitude.distributions.specification import parse_table
from latitude.distributions.table import write_table
from support.compiling import STRICT, built
from support.guest.machine import Result, Step, run
from support.hanging import HANG_S
from support.mpi.library import mpich, openmpi
from support.paths import SUPPORT

Results = Mapping[str, Result]
GUEST = SUPPORT / "guest"
LIMIT_S = 12 * HANG_S
REQUESTS = 4
ON_NODE = "--intra-node --force"
LONG_MS = 2000
TO_ITSELF = 60
"""Many compared with messages between ranks; an emulated machine takes 30 to 100 ms for each."""
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


@dataclass(frozen=True)
class Effort:
    """Amount of work of the programs."""

    posts: int
    batches: int
    rounds: int
    runs: int
    """Runs of each program. Pollers may leave the device's kernel threads no processor but once in
    4 ms, for a whole run."""

    def repeated(self, *command: object) -> list[object]:
        """The words that run it so often."""
        return ["sh", "-c", f'for i in $(seq {self.runs}); do "$@" || exit; done', "sh", *command]


FEW = Effort(posts=100, batches=50, rounds=1, runs=1)
"""Effort for tests that do not compare with a run without delays."""
MANY = Effort(posts=500, batches=100, rounds=2, runs=2)


def environment(builds: Path) -> dict[str, str]:
    """Variables that `latitude` and the programs need in the guest."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return {**kept, "HOME": "/root", "XDG_CACHE_HOME": str(builds / "cache")}


def steps(builds: Path, directory: Path, effort: Effort) -> list[Step]:
    """Each program alone, then under the injector."""
    batch = built("batch", "-O2", *STRICT, GUEST / "programs" / "batch.c", "-libverbs")
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
        return effort.repeated(
            GUEST / "pair.sh", f"ib_{kind}_lat", "-F", "-s", 8, "-n", effort.posts
        )

    for kind in ("write", "send"):
        plain(kind, *perftest(kind))
        injected(f"{kind}-100", "--verbs 100us", *perftest(kind))
        injected(f"{kind}-1000", "--verbs 1ms", *perftest(kind))
    injected("table", f"--verbs {table}", *perftest("write"))
    for how in ("post", "wr"):
        batches = effort.repeated(batch, "rxe0", effort.batches, REQUESTS, how)
        plain(how, *batches)
        injected(f"{how}-1000", "--verbs 1ms", *batches)
        injected(f"{how}-1000-each", "--verbs 1ms --per-wr", *batches)
    for name, library in MPIS.items():
        mpi = library(builds)
        launch = mpi.run(2, mpi.program("pingpong.c"))
        more = {**mpi.settings, **OVER_VERBS}
        plain(name, *effort.repeated(*launch, "/tmp", effort.rounds, 8, 0), **more)  # noqa: S108
        # All delays in one run, in turn.
        tables = (f"{name}-tables", effort.rounds, 8, 0, 100_000, 1_000_000)
        injected(f"{name}-tables", "--verbs 0", *launch, *tables, **more)
    # The other injector, over the same transport.
    mpi = openmpi(builds)
    more = {**mpi.settings, **OVER_VERBS}
    pingpong = ("flow", effort.rounds, 8, 0, 1_000_000)
    injected(
        "flow", f"--flow 0 {ON_NODE}", *mpi.run(2, mpi.program("pingpong.c"), *pingpong), **more
    )
    large = mpi.run(2, mpi.program("to_itself.c"), TO_ITSELF, 1_000_000)
    injected("flow-itself", f"--flow {LONG_MS}ms {ON_NODE}", *large, **more)
    stuck = ["sh", "-c", "echo before; sleep 1000"]
    found.append(Step("stuck", stuck, here, limit_s=1, once_it_prints=True))
    return found


def boot(builds: Path, directory: Path, names: Collection[str], effort: Effort) -> Results:
    """Results of the programs in the steps with these names.

    Raises:
      GuestError: It did not do all it should.
    """
    # Builds the injector where it takes a second: the guest's compiler is ten times slower.
    words = [sys.executable, "-m", "latitude", "inject", "--verbs", "0", "--", "true"]
    subprocess.run(words, cwd=directory, env=environment(builds), check=False, capture_output=True)
    found = [step for step in steps(builds, directory, effort) if step.name in names]
    assert {step.name for step in found} == set(names)
    return run(found, directory, LIMIT_S)


def done(guest: Results, name: str) -> Result:
    """A step that succeeded."""
    result = guest[name]
    assert result.status == 0, f"{name}: {result.stdout}{result.stderr}"
    return result


def counted(guest: Results, name: str) -> dict[str, Any]:
    """inject.json of a step."""
    text = done(guest, name).files[f"{name}/inject.json"]
    return json.loads(text)


def perftest_us(guest: Results, name: str) -> float:
    """The least latency: that of 8 bytes, third column of the lines that begin with them."""
    lines = (line.split() for line in done(guest, name).stdout.splitlines())
    return min(float(words[2]) for words in lines if len(words) > 2 and words[0] == "8")


def post_us(guest: Results, *names: str) -> float:
    """The least time of a batch's post."""
    found = [int(word) for name in names for word in done(guest, name).stdout.split()]
    return min(found) / 1000


def pingpong_us(guest: Results, name: str) -> dict[int, float]:
    """Least half round trip by the delay asked, µs."""
    least: dict[int, float] = {}
    for words in (line.split() for line in done(guest, name).stdout.splitlines()):
        if len(words) == 4 and words[0].isdigit():  # UCX logs, too
            asked_us, found_us = int(words[0]) // 1000, float(words[1]) / 1000
            least[asked_us] = min(found_us, least.get(asked_us, found_us))
    return least
