"""Makes one run, from the claim to the record."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latitude._core import InputError
from latitude.experiments.launch import Outcome, launch, origin_of
from latitude.experiments.planned import Planned
from latitude.experiments.record import run_file, write_run
from latitude.files.clock import now
from latitude.lab.campaign.claims import Claim, Claims
from latitude.lab.campaign.directory import Directory
from latitude.lab.campaign.plan import deciding_level
from latitude.lab.cluster.slurm import live_jobs, live_nodes
from latitude.lab.cluster.utilization import background
from latitude.results.runs import RunRecord

if TYPE_CHECKING:
    from latitude.measure.congestion import LoadBeside

_LOST = 3
"""Number of runners that may vanish during one attempt before it counts as failed."""


def perform(directory: Directory, planned: Planned) -> RunRecord | None:
    """Makes the next attempt of a run.

    None if the run is done, another runner makes it, or its program fails without latency.

    If an exception interrupts the run (KeyboardInterrupt), Latitude ends the program and gives the
    attempt back.
    """
    attempt = directory.next_attempt(planned.id)
    if attempt is None or directory.is_held(planned):
        return None
    claims = Claims(directory.path)
    claim = claims.take(planned.id, attempt)
    if claim is None:
        return None
    try:
        if directory.next_attempt(planned.id) != attempt:  # another runner was faster
            claims.clear(planned.id, attempt)
            return None
        found, provenance = _attempted(directory, planned, attempt, claim)
        directory.set_aside(planned.id, attempt)
        new = write_run(run_file(directory.path, planned.id), found, provenance)
    except BaseException:
        claim.release()
        raise
    claims.clear(planned.id, attempt)
    return found if new else None


def _attempted(
    directory: Directory, planned: Planned, attempt: int, claim: Claim
) -> tuple[RunRecord, dict[str, Any]]:
    campaign, level = directory.plan.campaign, planned.level
    started = now()
    before = after = load = None
    if claim.lost >= _LOST:
        outcome = Outcome.of_none(
            f"its runner vanished {claim.lost} times: killed, out of memory, or a node lost"
        )
    else:
        scratch = directory.scratch(planned.id)
        try:
            before = _b() if campaign.background else None
            started = now()
            with _loaded(planned, scratch) as load:
                outcome = launch(planned, scratch, claim.renew)
            after = _b() if campaign.background else None
        except InputError as error:
            outcome = Outcome.of_none(str(error))
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    run = outcome.recorded(planned, campaign.name, attempt, started, (before, after))
    more = {
        "file": str(campaign.file),
        "file_sha256": campaign.sha256,
        "level": deciding_level(level),
        "lost_attempts": claim.lost,
        "load": None if load is None or load.load is None else load.load.plain(),
    }
    return run, origin_of(planned, outcome, more)


@contextmanager
def _loaded(planned: Planned, scratch: Path) -> Iterator["LoadBeside | None"]:
    """Congestion, if the level has any; the traffic flows before the program starts."""
    level = planned.level
    if level.load is None or not level.generator:
        yield None
        return
    from latitude.measure.congestion import load_beside, request  # noqa: PLC0415

    asked = request(list(level.generator), level.load, seed=planned.seed, beside=True)
    with load_beside(asked, scratch / "load") as beside:
        yield beside


def _b() -> float:
    """The present b of the queue, without this job."""
    return background(live_jobs(), live_nodes(), exclude=(os.environ.get("SLURM_JOB_ID", ""),)).b
