"""The verdict of a validation in one line: right, wrong, or “cannot tell”."""

from collections.abc import Iterator, Sequence
from typing import Literal

from latitude.experiments.others import Others
from latitude.experiments.validation.spread import Chance
from latitude.results.validation import AtDelta, AtEnd, Conclusion
from latitude.units.quantities import counted, format_share, format_time

LIMIT = 0.05
"""Default limit on errors, as a share."""
_TAKEN = 0.1
"""Largest share of the ranks' cores that other programs may use."""
_MISSED = 0.05
"""Largest share of ΔL by which messages may be later than requested, beyond `_MISSED_NS`."""
_MISSED_NS = 2_000.0
_ENDS = 2


def concluded(
    levels: Sequence[AtDelta],
    ends: Sequence[AtEnd],
    rrmse: float,
    by_chance: Chance | None,
    limit: float,
    disturbed: Sequence[str],
) -> Conclusion:
    """The verdict: from the runs' own errors if both ends were traced, otherwise from medians.

    The verdict is never "right" if the machine was disturbed, or messages were not as late as
    requested.
    """
    why = [*disturbed, *_missed(levels)]
    found = _by_own(ends, limit) if _told(ends) else _by_medians(rrmse, by_chance, limit)
    if why:
        return Conclusion(verdict="unknown", share=float("nan"), by=found.by, limit=limit, why=why)
    return found


def disturbances(others: Sequence[Others], cores: int) -> Iterator[str]:
    """Reports other programs that took cores from the runs' ranks on this host, which has `cores`.

    `others` are the other programs of each run.
    """
    if not others:
        return
    typical = sorted(others, key=lambda each: each.cores)[len(others) // 2]
    spare = max(cores - typical.ranks, 0)
    if typical.ranks and typical.cores - spare > _TAKEN * min(typical.ranks, cores):
        yield (
            f"other programs used {typical.cores:.1f} cores beside "
            f"{counted(typical.ranks, 'rank')} on the {counted(cores, 'core')} of this host"
        )


def _missed(levels: Sequence[AtDelta]) -> Iterator[str]:
    for level in levels:
        late = level.injected_delta_L_ns - level.delta_L_ns
        if abs(late) > _MISSED_NS + _MISSED * level.delta_L_ns:
            asked = format_time(float(level.delta_L_ns), 4)
            yield f"messages were {format_time(abs(late), 3)} later than the ΔL = {asked} asked for"
            return


def _told(ends: Sequence[AtEnd]) -> bool:
    return len(ends) >= _ENDS and all(end.low == end.low for end in ends)


def _by_own(ends: Sequence[AtEnd], limit: float) -> Conclusion:
    within = max(max(abs(end.low), abs(end.high)) for end in ends)
    worst = max(ends, key=lambda end: abs(end.error))
    if within <= limit:
        return Conclusion(verdict="right", share=within, by="own errors", limit=limit, why=[])
    if any(end.low > limit or end.high < -limit for end in ends):
        share = abs(worst.error)
        return Conclusion(verdict="wrong", share=share, by="own errors", limit=limit, why=[])
    at = format_time(float(worst.delta_L_ns), 4) if worst.delta_L_ns else "0"
    why = (
        f"the model's error on runs traced at ΔL = {at} lies between {_signed(worst.low)} and "
        f"{_signed(worst.high)}, and {format_share(limit)} are allowed: trace more runs"
    )
    return Conclusion(
        verdict="unknown", share=float("nan"), by="own errors", limit=limit, why=[why]
    )


def _by_medians(rrmse: float, by_chance: Chance | None, limit: float) -> Conclusion:
    def said(verdict: Literal["right", "wrong", "unknown"], share: float, *why: str) -> Conclusion:
        return Conclusion(verdict=verdict, share=share, by="medians", limit=limit, why=list(why))

    if by_chance is None:
        return said("unknown", float("nan"), "there is one run of each ΔL: make more --repetitions")
    if by_chance.needed is not None and rrmse <= by_chance.likely + limit:
        return said(
            "unknown",
            float("nan"),
            f"a perfect model would show up to {format_share(by_chance.likely)} here: make "
            f"{by_chance.needed:,} runs and traces, or judge by own errors (--traces all)",
        )
    if rrmse <= limit:
        return said("right", rrmse)
    if rrmse > by_chance.likely + limit:
        return said("wrong", rrmse)
    return said(
        "unknown",
        float("nan"),
        f"medians differ from predictions by {format_share(rrmse)}, of which "
        f"{format_share(by_chance.likely)} may be chance",
    )


def _signed(share: float) -> str:
    return f"{100 * share:+.2f}%"
