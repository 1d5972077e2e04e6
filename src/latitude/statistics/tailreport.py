"""`latitude stats tail`: every group's tail and modes, with the curves to draw them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from latitude._types import Floats
from latitude.files.progress import Progress, Silent
from latitude.files.provenance import Provenance
from latitude.notices.notice import Notice
from latitude.statistics.density import Density, density
from latitude.statistics.groups import Group, read_groups
from latitude.statistics.long_tail import SHARE as P85
from latitude.statistics.modes import Modes, modes
from latitude.statistics.origin import digest_of, origin
from latitude.statistics.tail import TailSummary, autocorrelation
from latitude.statistics.tail_index import hill_curve

_CURVE = 240
_DENSITY = 800
_HILL = 60
_DEPENDENT = 0.1
"""Autocorrelation from which intervals are noticeably too short (by a tenth)."""


@dataclass(frozen=True, slots=True)
class Curves:
    """What the charts draw; times in ns."""

    at_ns: Floats
    below: Floats
    """Share of samples at most that large."""
    density: Density | None
    """None for a constant sample."""
    hill: tuple[tuple[int, float], ...]
    """(k, α)"""


@dataclass(frozen=True, slots=True)
class GroupTail:
    """One group."""

    name: str
    summary: TailSummary
    modes: Modes
    autocorrelation: float | None
    """Of neighbouring samples, in the file's order; None where the order is not kept."""
    curves: Curves
    warnings: tuple[Notice, ...]


@dataclass(frozen=True, slots=True)
class TailReport:
    """The result."""

    provenance: Provenance
    groups: tuple[GroupTail, ...]


def tail_report(
    paths: Sequence[Path],
    *,
    unit: str | None = None,
    by: Sequence[str] = (),
    threshold_ns: float | None = None,
    reference: Path | None = None,
    progress: Progress | None = None,
) -> TailReport:
    """Reads and summarises; the threshold may be the reference's 85th percentile."""
    progress = progress or Silent()
    digest = digest_of(paths)
    groups = read_groups(paths, unit=unit, by=by, progress=progress)
    if reference is not None:
        base = read_groups([reference], unit=unit, progress=progress)[0]
        threshold_ns = base.summary().at(P85).value_ns
    found = []
    for group in groups:
        progress.stage(f"Summing up {group.name}")
        found.append(group_tail(group, threshold_ns))
    return TailReport(origin(paths, digest), tuple(found))


def group_tail(group: Group, threshold_ns: float | None) -> GroupTail:
    """Everything about one group."""
    summary = group.summary(threshold_ns)
    values = group.values()
    shape = modes(values)
    related = autocorrelation(values) if group.complete else None
    ordered = np.sort(values)
    return GroupTail(
        group.name,
        summary,
        shape,
        related,
        _curves(ordered, shape),
        (*summary.warnings, *shape.warnings, *_notices(group, related)),
    )


def _curves(ordered: Floats, shape: Modes) -> Curves:
    n = ordered.size
    from_top = np.geomspace(1, n, _CURVE)
    ranks = np.unique(np.concatenate([n - from_top, np.linspace(0, n - 1, _CURVE)]).astype(np.intp))
    curve = None
    if shape.bandwidth_ns > 0:
        whole = density(ordered, shape.bandwidth_ns)
        step = max(1, whole.at_ns.size // _DENSITY)
        curve = Density(whole.at_ns[::step], whole.per_ns[::step], whole.bandwidth_ns)
    sizes = np.unique(np.geomspace(5, max(n // 4, 6), _HILL).astype(int)).tolist()
    return Curves(ordered[ranks], (ranks + 1) / n, curve, tuple(hill_curve(ordered, sizes)))


def _notices(group: Group, related: float | None) -> list[Notice]:
    notices = []
    if related is not None and related > max(_DEPENDENT, 3 / group.n**0.5):
        notices.append(
            Notice(
                "dependent-samples",
                f"neighbouring samples are correlated ({related:.2f}): intervals and p-values, "
                "which assume independent ones, are too optimistic",
                "measure with pauses, or several runs",
            )
        )
    if not group.complete:
        notices.append(
            Notice(
                "many-samples",
                f"of {group.n:,} samples, density, modes and dip are those of a random sample of "
                f"{group.values().size:,}; percentiles come from a sketch, within 0.05 %",
                "split the file if you need more",
            )
        )
    return notices
