"""Changes between runs of a program, beyond the usual difference of two runs."""

from dataclasses import dataclass

from latitude.analysis.over_runs import runs_of
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.results.analysis import Analysis
from latitude.results.over_runs import LEAST_RUNS, OverRuns, Spread

MARGIN = 0.005
"""Least share that counts as a change, even if runs differ by less."""
ALONE = 0.05
"""Least share that counts as a change, if there are too few runs to know the spread of runs."""
_OF_NOTE = 0.01
"""Least share of all computation; a function with less is noise."""
_SAVED = 0.5
"""Limit for "moved": if all functions together changed by less than this share of one function's
change, computation moved between functions."""


@dataclass(frozen=True, slots=True)
class Change:
    """A number before and after."""

    before: Spread
    after: Spread
    margin: float
    """Least share that counts as a change."""

    @property
    def ns(self) -> float:
        """Median after, less median before."""
        return self.after.median - self.before.median

    @property
    def grew(self) -> bool:
        """Whether the number grew by more than the margin and, if known, the spread of runs."""
        more = self.after.median > self.before.median * (1 + self.margin)
        return more and (not self.told or self.after.above(self.before))

    @property
    def shrank(self) -> bool:
        """Whether the number shrank by more than the margin and, if known, the spread of runs."""
        less = self.after.median < self.before.median * (1 - self.margin)
        return less and (not self.told or self.before.above(self.after))

    @property
    def told(self) -> bool:
        """Whether both sides have enough runs to know the spread of runs."""
        return self.after.known_beside(self.before)


@dataclass(frozen=True, slots=True)
class FunctionGrowth(Change):
    """The computation of one function, summed over ranks."""

    name: str
    moved: bool
    """Whether computation moved between this function and others: all together hardly changed."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Runs of a program, compared with earlier runs."""

    runtime: Change
    functions: tuple[FunctionGrowth, ...]
    """Functions with 1 % of all computation or more, the largest change first."""
    computation_ns: float
    """Growth of the computation of all ranks, by medians."""

    @classmethod
    def of(cls, before: Analysis, after: Analysis, margin: float | None = None) -> "Changes":
        """Changes between two analyses on one network; shares below `margin` do not count."""
        least = margin_of(before, after, margin)
        old, new = runs_of(before), runs_of(after)
        was, now = _filled(old.computation, new), _filled(new.computation, old)
        medians = {name: (was[name].median, now[name].median) for name in was}
        total_before = sum(first for first, _ in medians.values())
        total_after = sum(last for _, last in medians.values())
        net = total_after - total_before
        found = [
            FunctionGrowth(
                before=was[name],
                after=now[name],
                margin=least,
                name=name,
                moved=net * (last - first) < _SAVED * (last - first) ** 2,
            )
            for name, (first, last) in medians.items()
            if max(first, last) > _OF_NOTE * max(total_before, total_after)
        ]
        return cls(
            Change(old.T_ns, new.T_ns, least),
            tuple(sorted(found, key=lambda each: -abs(each.ns))),
            net,
        )

    @property
    def slower(self) -> list[FunctionGrowth]:
        """Functions that compute longer than before, without those whose computation moved."""
        return [each for each in self.functions if each.grew and not each.moved]

    @property
    def faster(self) -> list[FunctionGrowth]:
        """Functions that compute less than before, without those whose computation moved."""
        return [each for each in self.functions if each.shrank and not each.moved]

    @property
    def moved(self) -> list[FunctionGrowth]:
        """Functions that took computation from others, or gave computation to others."""
        return [each for each in self.functions if each.moved and (each.grew or each.shrank)]


def margin_of(before: Analysis, after: Analysis, margin: float | None) -> float:
    """Share up to which a change does not count: `margin`, or a default by the number of runs."""
    if margin is not None:
        return margin
    return MARGIN if _noise_known(before, after) else ALONE


def too_few(before: Analysis, after: Analysis) -> list[Notice]:
    """A warning if recorded runs are too few to tell a change from noise."""
    if _noise_known(before, after):
        return []
    old, new = runs_of(before).T_ns, runs_of(after).T_ns
    counts = f"{len(old.values)} before, {len(new.values)} after"
    return [
        kinds.SPREAD_UNKNOWN(
            f"too few runs ({counts}) to tell a change from the usual difference between two runs "
            "of one program",
            runs=LEAST_RUNS,
        )
    ]


def _noise_known(before: Analysis, after: Analysis) -> bool:
    """Whether the usual difference between two runs is known.

    Two files without a recorded run, such as GOAL, state their computation, so they have no such
    difference.
    """
    stated = before.trace.wall_ns is None and after.trace.wall_ns is None
    return stated or runs_of(after).T_ns.known_beside(runs_of(before).T_ns)


def _filled(own: dict[str, Spread], other: OverRuns) -> dict[str, Spread]:
    """The functions of both sides, with zeros for functions that this side lacks."""
    count = len(next(iter(own.values())).values) if own else 1
    return {**{name: Spread.of([0.0] * count) for name in other.computation}, **own}
