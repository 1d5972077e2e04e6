"""The table of what was caught by which test."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone

from mutants.listed import Mutant
from mutants.trial import CAUGHT, Outcome
from support.tiers import FIRST


def share_caught(outcomes: Sequence[Outcome], tier: str = "") -> float:
    """Share of the defects that were tried; by tests of a tier alone, if one is given."""
    return len(_caught(outcomes, tier)) / len(outcomes)


def summary(outcomes: Sequence[Outcome], listed: int) -> str:
    """One sentence: how many, of how many."""

    def said(tier: str = "") -> str:
        return f"{len(_caught(outcomes, tier))} ({100 * share_caught(outcomes, tier):.1f} %)"

    missing = listed - len(outcomes)
    rest = f"; {missing} of the list were not tried" if missing else ""
    tried = f"Of {len(outcomes)} defects, {said()} were caught"
    return f"{tried}, {said(FIRST)} of them by `make {FIRST}`{rest}."


def _caught(outcomes: Sequence[Outcome], tier: str) -> list[Outcome]:
    return [each for each in outcomes if each.status == CAUGHT and tier in ("", each.tier)]


def document(mutants: Sequence[Mutant], outcomes: Mapping[str, Outcome]) -> str:
    """A page of the documentation; defects without an outcome are said not to have been tried."""
    today = datetime.now(timezone.utc).date().isoformat()
    command = shlex.join(["python", "-m", "mutants", *sys.argv[1:]])
    head = [
        "# Mutants",
        "",
        f"Written by `make mutants` (`{command}`) on {today}. How it works stands in",
        "[testing.md](testing.md#mutants); each test named here is the first that failed.",
        "",
        f"**{summary(list(outcomes.values()), len(mutants))}**",
        "",
        "| room | defect | file | caught by | of |",
        "|---|---|---|---|---|",
    ]
    rows = [
        f"| {each.room} | {each.what} | `{each.file}` | {_verdict(outcomes.get(each.name))} |"
        for each in mutants
    ]
    return "\n".join([*head, *rows, ""])


def _verdict(outcome: Outcome | None) -> str:
    if outcome is None:
        return "not tried | "
    if outcome.status == CAUGHT:
        return f"`{outcome.by.removeprefix('tests/')}` | `make {outcome.tier}`"
    return f"**{outcome.status}** | "
