"""A campaign's plan and its outcome on the terminal."""

from rich.console import Console

from latitude.experiments.campaign.description import Level
from latitude.experiments.campaign.plan import Plan
from latitude.experiments.campaign.record import Run
from latitude.experiments.campaign.summary import Summary
from latitude.render.terminal import plain_table, results_console
from latitude.units.quantities import counted, format_share, format_time

_SHOWN = 10
"""Reasons of failures that are listed."""


def print_plan(plan: Plan) -> None:
    """Programs, levels, and how many runs they make."""
    console = results_console()
    campaign = plan.campaign
    console.print(
        f"{campaign.name}: {counted(len(campaign.programs), 'program')} × "
        f"{counted(len(campaign.levels), 'level')} × "
        f"{counted(campaign.repetitions, 'repetition')} = {counted(len(plan.runs), 'run')} in "
        f"{campaign.directory}, seed {campaign.seed}, {campaign.execute.how}",
        markup=False,
        soft_wrap=True,
    )
    console.print()
    table = plain_table("", "program", "ranks", "runtime", "most", "launched as")
    for each in campaign.programs:
        ranks = "–" if each.ranks is None else str(each.ranks)
        most = format_time(each.timeout_s * 1e9)
        table.add_row(each.name, ranks, each.runtime, most, " ".join(each.launch))
    console.print(table, markup=False)
    console.print()
    table = plain_table("", "level", "kind", "mean", "sd", "load", "where")
    for level in campaign.levels:
        table.add_row(
            level.name,
            level.kind,
            format_time(level.mean_ns),
            format_time(level.sd_ns),
            "–" if level.load is None else format_share(level.load),
            _where(level),
        )
    console.print(table, markup=False)


def _where(level: Level) -> str:
    within = ", within nodes" if level.intra_node else ""
    return f"{level.layer or '–'}{within}"


def print_summary(found: Summary) -> None:
    """Medians, what failed and why, where it is."""
    console = results_console()
    table = plain_table("", "program", "level", "ok", "failed", "median runtime")
    for part in found.parts:
        time = "–" if part.median_ns is None else format_time(part.median_ns)
        table.add_row(
            part.program, part.level, f"{part.ok}/{part.planned}", str(part.failed or ""), time
        )
    console.print(table, markup=False)
    _print_failures(console, found)
    console.print()
    left = f", {found.pending:,} not done" if found.pending else ""
    failed = f", {found.failed:,} failed" if found.failed else ""
    console.print(
        f"{found.name}: {found.ok:,} of {counted(found.planned, 'run')} ok{failed}{left}, in "
        f"{found.directory}",
        markup=False,
        soft_wrap=True,
    )


def _print_failures(console: Console, found: Summary) -> None:
    if not found.failures:
        return
    alike: dict[tuple[str, str, str], list[Run]] = {}
    for run in found.failures:
        alike.setdefault((run.program, run.status, run.error or ""), []).append(run)
    console.print()
    console.print(f"{counted(len(found.failures), 'attempt')} failed:")
    for (program, status, error), runs in sorted(alike.items(), key=lambda each: -len(each[1]))[
        :_SHOWN
    ]:
        levels = list(dict.fromkeys(run.level for run in runs))
        more = f" and {counted(len(levels) - 1, 'level')} more" if len(levels) > 1 else ""
        console.print(
            f"  {program} {levels[0]}{more}, {counted(len(runs), 'attempt')}: {status}: {error}",
            markup=False,
            soft_wrap=True,
        )
    if len(alike) > _SHOWN:
        console.print(f"  and {len(alike) - _SHOWN} other reasons; all are in --json FILE")
