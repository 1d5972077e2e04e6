"""The state of a campaign."""

from statistics import median

from latitude.experiments.planned import Subject
from latitude.experiments.record import read_run, run_files
from latitude.files.provenance import made_now
from latitude.lab.campaign.directory import Directory
from latitude.lab.results.campaign import CampaignPart, CampaignSummary
from latitude.results.runs import OK, RunRecord
from latitude.units.quantities import counted


def summary(directory: Directory) -> CampaignSummary:
    """The campaign's state, from the files on disk."""
    planned = directory.plan.by_id()
    attempts = [read_run(path)[0] for path in run_files(directory.path, failures=True)]
    attempts = sorted((run for run in attempts if run.run_id in planned), key=lambda r: r.started)
    ok = {run.run_id for run in attempts if run.status == OK}
    programs = directory.plan.campaign.programs
    pending = {run.id for run in directory.unmade()}
    return CampaignSummary(
        provenance=made_now(),
        name=directory.plan.campaign.name,
        directory=str(directory.path),
        planned=len(planned),
        ok=len(ok),
        failed=len(planned) - len(ok) - len(pending),
        pending=len(pending),
        failures=[run for run in attempts if run.status != OK],
        parts=_parts(directory, attempts, ok, pending),
        notes=[*filter(None, (_held(directory, each) for each in programs))],
    )


def _held(directory: Directory, program: Subject) -> str:
    """A sentence that says that a program's other runs were held back; empty if no run was."""
    failing = directory.failing(program.name)
    left = sum(run.program.name == program.name for run in directory.unmade())
    if failing is None or not left:
        return ""
    return (
        f"{program.name} fails without latency ({failing.error}): its {counted(left, 'other run')} "
        "were not made; mend the program, and raise retries in [execute]."
    )


def _parts(
    directory: Directory, attempts: list[RunRecord], ok: set[str], pending: set[str]
) -> list[CampaignPart]:
    runtimes: dict[tuple[str, str], list[float]] = {}
    for run in attempts:
        if run.runtime_ns is not None:
            runtimes.setdefault((run.program, run.level), []).append(run.runtime_ns)
    ids: dict[tuple[str, str], list[str]] = {}
    for each in directory.plan.runs:
        ids.setdefault((each.program.name, each.level.name), []).append(each.id)
    campaign = directory.plan.campaign
    keys = [(p.name, level.name) for p in campaign.programs for level in campaign.levels]
    return [
        CampaignPart(
            program=key[0],
            level=key[1],
            planned=len(ids[key]),
            ok=sum(run_id in ok for run_id in ids[key]),
            failed=sum(run_id not in ok and run_id not in pending for run_id in ids[key]),
            median_ns=median(runtimes[key]) if key in runtimes else None,
        )
        for key in keys
    ]
