"""Applies each defect of the list to a copy of the tree and runs the tests that should notice it.

Tests of `make test` run first, the others of `make test-all` where these notice nothing.

Exit status: 0 when at least 97 % of those tried were caught, and at least 90 % by `make test`; 1
when fewer were, or one is broken (its text is not there exactly once, or what it makes does not
build); 2 when tests fail without any defect.
"""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from random import Random

from mutants.listed import Mutant, listed
from mutants.table import document, share_caught, summary
from mutants.tree import Tree
from mutants.trial import BROKEN, Outcome, Trials, UnsoundError
from support.tiers import FIRST

ROOT = Path(__file__).resolve().parents[2]
LEAST_CAUGHT = {FIRST: 0.90, "": 0.97}
"""Least share of caught mutants, of one tier and of all."""


def main() -> int:
    """The command."""
    given = _arguments()
    mutants = listed()
    chosen = [each for each in mutants if re.search(given.only, f"{each.room} {each.name}")]
    if not chosen:
        sys.stderr.write(f"mutants: no room and name match '{given.only}'\n")
        return 2
    if given.sample is not None:
        drawn = Random(0).sample(chosen, min(given.sample, len(chosen)))
        chosen = [each for each in chosen if each in drawn]
    outcomes: dict[str, Outcome] = {}
    try:
        for outcome in tried(chosen, given.work.resolve(), given.jobs):
            outcomes[outcome.mutant.name] = outcome
            verdict = f"{outcome.status:9}{outcome.seconds:6.0f} s  {outcome.tier:9}"
            _say(f"{verdict}{outcome.mutant.name}: {outcome.by}")
            if given.table is not None:  # after each: the whole takes long, and may be cut short
                given.table.parent.mkdir(parents=True, exist_ok=True)
                given.table.write_text(document(mutants, outcomes), encoding="utf-8")
    except UnsoundError as error:
        sys.stderr.write(f"mutants: {error}\n")
        return 2
    found = list(outcomes.values())
    _say(summary(found, len(mutants)))
    broken = any(each.status == BROKEN for each in found)
    few = any(share_caught(found, tier) < least for tier, least in LEAST_CAUGHT.items())
    return 1 if broken or few else 0


def tried(mutants: Sequence[Mutant], work: Path, jobs: int = 1) -> Iterator[Outcome]:
    """Outcomes as they come; each job has a copy of the tree of its own below `work`."""
    free: SimpleQueue[Trials] = SimpleQueue()
    for number in range(jobs):
        free.put(Trials(Tree(ROOT, work / f"tree-{number + 1}")))

    def one(mutant: Mutant) -> Outcome:
        trials = free.get()
        try:
            return trials.outcome(mutant)
        finally:
            free.put(trials)

    with ThreadPoolExecutor(jobs) as pool:
        try:
            yield from pool.map(one, mutants)
        finally:
            pool.shutdown(cancel_futures=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m mutants", description=__doc__)
    parser.add_argument("--only", default="", help="a pattern of 'ROOM NAME': try these alone")
    parser.add_argument("--sample", type=int, help="try so many of them, drawn at random")
    parser.add_argument("--jobs", type=int, default=1, choices=(1, 2), help="copies side by side")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "mutants", help="for copies")
    parser.add_argument("--table", type=Path, help="where to write the table, in Markdown")
    return parser.parse_args()


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
