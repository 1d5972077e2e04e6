"""One run: claimed, launched, recorded."""

import os
import platform
import shutil
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latitude._core import InputError
from latitude._version import __version__
from latitude.cluster.clock import now
from latitude.cluster.slurm import live_jobs, live_nodes
from latitude.cluster.utilization import background
from latitude.experiments.campaign.claims import Claim, Claims
from latitude.experiments.campaign.directory import Directory
from latitude.experiments.campaign.launch import Outcome, launch
from latitude.experiments.campaign.plan import Planned, deciding_level
from latitude.experiments.campaign.record import FAILED, Run, run_file, write_run

if TYPE_CHECKING:
    from latitude.measure.congestion import Beside

_LOST = 3
"""Runners that may vanish during one attempt before it counts as failed."""


def perform(directory: Directory, planned: Planned) -> Run | None:
    """Makes the next attempt of a run; None when it is done, or somebody else makes it.

    When an exception comes meanwhile (KeyboardInterrupt), the program is ended and the attempt
    given back, undone.
    """
    attempt = directory.next_attempt(planned.id)
    if attempt is None:
        return None
    claims = Claims(directory.path)
    claim = claims.take(planned.id, attempt)
    if claim is None:
        return None
    try:
        if directory.next_attempt(planned.id) != attempt:  # it was done before we claimed it
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
) -> tuple[Run, dict[str, Any]]:
    campaign, level = directory.plan.campaign, planned.level
    started = now()
    before = after = load = None
    if claim.lost >= _LOST:
        outcome = _given_up(claim.lost)
    else:
        scratch = directory.scratch(planned.id)
        try:
            before = _b() if campaign.background else None
            started = now()
            with _loaded(planned, scratch) as load:
                outcome = launch(planned, scratch, claim.renew)
            after = _b() if campaign.background else None
        except InputError as error:
            outcome = _failed(str(error))
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    run = Run(
        run_id=planned.id,
        campaign=campaign.name,
        program=planned.program.name,
        ranks=outcome.ranks,
        level=level.name,
        family=level.family,
        kind=level.kind,
        layer=level.layer,
        asked_mean_ns=level.mean_ns,
        asked_sd_ns=level.sd_ns,
        achieved_mean_ns=outcome.achieved_mean_ns,
        achieved_sd_ns=outcome.achieved_sd_ns,
        load=level.load,
        seed=planned.seed,
        repetition=planned.repetition,
        order=planned.order,
        attempt=attempt,
        status=outcome.status,
        exit_code=outcome.exit_status,
        runtime_ns=outcome.runtime_ns,
        wall_ns=outcome.wall_ns,
        messages=outcome.messages,
        started=started.isoformat(timespec="microseconds"),
        host=socket.gethostname(),
        nodes=outcome.nodes,
        b_before=before,
        b_after=after,
        error=outcome.error,
    )
    provenance = {
        "version": __version__,
        "file": str(campaign.file),
        "file_sha256": campaign.sha256,
        "launch": list(planned.program.launch),
        "folder": planned.program.folder,
        "environment": planned.program.environment,
        "timeout_s": planned.program.timeout_s,
        "runtime": planned.program.runtime,
        "level": deciding_level(level),
        "lost_attempts": claim.lost,
        "machine": platform.platform(),
        "cores": os.cpu_count(),
        "python": sys.version.split()[0],
        "load": None if load is None or load.load is None else load.load.plain(),
        "slurm_job": os.environ.get("SLURM_JOB_ID"),
        **outcome.told,
    }
    return run, provenance


@contextmanager
def _loaded(planned: Planned, scratch: Path) -> Iterator["Beside | None"]:
    """Congestion, where the level asks for it: it flows before the program starts."""
    level = planned.level
    if level.load is None or not level.generator:
        yield None
        return
    from latitude.measure.congestion import load_beside, request  # noqa: PLC0415

    asked = request(list(level.generator), level.load, seed=planned.seed, beside=True)
    with load_beside(asked, scratch / "load") as beside:
        yield beside


def _b() -> float:
    """Of the queue now, without this job."""
    return background(live_jobs(), live_nodes(), exclude=(os.environ.get("SLURM_JOB_ID", ""),)).b


def _given_up(times: int) -> Outcome:
    return _failed(f"whoever ran it vanished {times} times: killed, out of memory, or a node lost")


def _failed(error: str) -> Outcome:
    """Without having been launched."""
    return Outcome(FAILED, None, None, 0.0, error, None, None, None, None, None, {})
