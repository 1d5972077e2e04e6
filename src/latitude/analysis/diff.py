"""Two runs of a program: parts that became slower, or joined or left the critical path."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TypeAlias

import numpy as np
from msgspec.structs import asdict, replace

from latitude._types import Floats, Integers
from latitude.analysis.analyze import analyze
from latitude.analysis.changes import Changes, too_few
from latitude.analysis.over_runs import over_runs
from latitude.files.progress import Progress
from latitude.files.provenance import made_now
from latitude.model.network import Network
from latitude.model.theta import TOLERANCES
from latitude.notices import kinds
from latitude.notices.notice import Notice, gathered
from latitude.results.analysis import Analysis
from latitude.results.difference import (
    BeyondSpread,
    CallChange,
    ChangedFunction,
    Difference,
    DiffRun,
    PartChange,
    PlaceChange,
    RankChanges,
    ToleranceChange,
)
from latitude.results.reading import read_analysis
from latitude.sections.by_call_site.result import CallSiteShare
from latitude.sections.waits.result import ACTIVITIES, CAUSES, EachCall
from latitude.trace.program import Program
from latitude.units.quantities import counted

_LARGEST = 20
"""Number of listed single calls."""
_LEAST_NS = 0.5
"""Least change, ns; smaller changes are rounding."""
_PARTS = (*ACTIVITIES, "wait")

_ALONE = (Analysis, Program, str, PathLike)
Side: TypeAlias = Analysis | Program | str | PathLike[str]
"""A run: analysed, loaded, or the path of a result of `latitude analyze`."""
Place = str | None
"""A source line, or the name of a call if the line is unknown, or None for no call."""


def diff(
    a: Side | Sequence[Side],
    b: Side | Sequence[Side],
    network: Network | None = None,
    *,
    tolerance: Sequence[float] = TOLERANCES,
    progress: Progress | None = None,
) -> Difference:
    """Compares a run of a program with an earlier run.

    Args:
        a: the earlier run: the result of `latitude.load` or `latitude.analyze`, or the path of a
            result of `latitude analyze` (analysis.json, or its directory). A list has one entry per
            run.
        b: the later run, in the same forms.
        network: the network on which programs are analysed.
        tolerance: degradations for which to find the latency that programs tolerate.
        progress: display of the progress.

    Raises:
        InputError: a path holds no analysis, or a program cannot run.
    """

    def run(of: Side) -> Analysis:
        if isinstance(of, Analysis):
            return of
        if not isinstance(of, Program):
            return read_analysis(Path(of))
        return analyze(of, network, tolerance=tolerance, each_call=True, progress=progress)

    def side(of: Side | Sequence[Side]) -> Analysis:
        runs = [run(each) for each in ([of] if isinstance(of, _ALONE) else of)]
        return over_runs(runs, [each.provenance.input for each in runs])

    return difference_of(side(a), side(b))


def difference_of(first: Analysis, second: Analysis) -> Difference:
    """Compares B (`second`) with A (`first`).

    InputError: one of the runs was analysed without waits.
    """
    moved = _moved(first.by_call_site, second.by_call_site)
    calls = _Calls.of(first.stated_waits().each, second.stated_waits().each, moved)
    return Difference(
        made=made_now(),
        a=_compared(first),
        b=_compared(second),
        judged=_judged(first, second),
        tolerance=_tolerance(first, second),
        by_part=_by_part(first, second),
        by_place=_by_place(first, second, moved, calls),
        by_rank=_by_rank(first, second),
        largest=calls.largest(),
        warnings=_notices(first, second),
    )


def _judged(first: Analysis, second: Analysis) -> BeyondSpread:
    """The changes that exceed the spread of runs."""
    changes = Changes.of(first, second)
    runtime = changes.runtime
    return BeyondSpread(
        enough=runtime.told,
        margin=runtime.margin,
        runs_a=runtime.before,
        runs_b=runtime.after,
        changed=runtime.grew or runtime.shrank,
        computation_ns=changes.computation_ns,
        functions=[
            ChangedFunction(name=each.name, runs_a=each.before, runs_b=each.after, moved=each.moved)
            for each in changes.functions
            if each.grew or each.shrank
        ],
    )


def _compared(of: Analysis) -> DiffRun:
    base = of.baseline
    return DiffRun(
        input=of.provenance.input,
        input_sha256=of.provenance.input_sha256,
        program=of.provenance.program,
        ranks=of.trace.ranks,
        L_ns=base.L_ns,
        T_ns=base.T_ns,
        lambda_L=base.lambda_L or 0.0,
        rho_L=base.rho_L or 0.0,
    )


def _tolerance(a: Analysis, b: Analysis) -> list[ToleranceChange]:
    if not a.theta.name == b.theta.name == "L":
        return []

    def limits(of: Analysis) -> dict[float, float]:
        known = (limit for limit in of.tolerance if math.isfinite(limit.degradation))
        return {limit.degradation: limit.delta for limit in known}

    first, second = limits(a), limits(b)
    return [
        ToleranceChange(degradation=x, a_ns=first[x], b_ns=second[x])
        for x in sorted(first.keys() & second.keys())
    ]


def _notices(a: Analysis, b: Analysis) -> list[Notice]:
    found = gathered([*(("A", each) for each in a.warnings), *(("B", each) for each in b.warnings)])
    first, second = _assumed(a), _assumed(b)
    differing = sorted(key for key in first if first[key] != second[key])
    if differing or (a.theta.name, a.theta.base) != (b.theta.name, b.theta.base):
        what = ", ".join(differing) or "what was varied"
        found.append(kinds.DIFFERENT_NETWORKS(f"A and B were analysed differently ({what})"))
    if a.trace.ranks != b.trace.ranks:
        ranks = f"A has {counted(a.trace.ranks, 'rank')} and B {b.trace.ranks}"
        found.append(kinds.DIFFERENT_RANKS(ranks))
    return [*found, *too_few(a, b)]


def _assumed(of: Analysis) -> dict[str, object]:
    """The assumptions, without the numbers of rank pairs, which follow from the program."""
    links = [replace(link, rank_pairs=0) for link in of.model.classes]
    return asdict(replace(of.model, classes=links, parameters={}))


# Parts, and places


def _by_part(a: Analysis, b: Analysis) -> list[PartChange]:
    def sums(of: Analysis) -> dict[str, float]:
        total = dict.fromkeys((*ACTIVITIES, *CAUSES), 0.0)
        times = of.stated_waits().times
        for what, ns in zip(times.what, times.ns.tolist(), strict=True):
            total[what] += ns / of.trace.ranks
        return total

    first, second = sums(a), sums(b)
    return [
        PartChange(what=what, a_ns=first[what], b_ns=second[what])
        for what in (*ACTIVITIES, *CAUSES)
        if first[what] or second[what]
    ]


@dataclass(slots=True)
class _AtPlace:
    """A run's time at a place: per rank, and on the critical path."""

    parts: dict[str, float] = field(default_factory=lambda: dict.fromkeys(_PARTS, 0.0))
    path_ns: float = 0.0
    lambda_L: float = 0.0
    call: str | None = None
    where: str | None = None


def _at_places(of: Analysis) -> dict[Place, _AtPlace]:
    found: dict[Place, _AtPlace] = {}
    for *_, call, where, _, _, what, ns in of.stated_waits().times.rows():
        at = found.setdefault(where or call, _AtPlace(call=call, where=where))
        at.parts[what if what in ACTIVITIES else "wait"] += ns / of.trace.ranks
    on_path: Iterable[tuple[Place, str, float, float]] = (
        (
            (
                site.where,
                next(iter(site.calls)),
                site.before_ns + site.calc_ns + site.overhead_ns + site.network_ns,
                site.lambda_L,
            )
            for site in of.by_call_site
        )
        if of.by_call_site
        else (
            (row.call, row.call, row.calc_ns + row.overhead_ns + row.network_ns, row.lambda_L)
            for row in of.by_call
            if row.call != "computation"
        )
    )
    rest = of.baseline.T_ns
    for place, call, ns, latencies in on_path:
        where = place if of.by_call_site else None
        at = found.setdefault(place, _AtPlace(call=call, where=where))
        at.path_ns += ns
        at.lambda_L += latencies
        rest -= ns
    found.setdefault(None, _AtPlace()).path_ns += max(0.0, rest)
    return found


def _moved(a: Sequence[CallSiteShare], b: Sequence[CallSiteShare]) -> dict[Place, Place]:
    """Moved lines, B → A: within a function, lines with the same calls, paired in line order."""
    same = {site.where for site in a} & {site.where for site in b}

    def left(sites: Sequence[CallSiteShare]) -> dict[object, list[CallSiteShare]]:
        groups: dict[object, list[CallSiteShare]] = {}
        for site in sorted(sites, key=lambda site: site.line or 0):
            if site.where not in same and site.function is not None:
                groups.setdefault((site.function, *sorted(site.calls)), []).append(site)
        return groups

    first, second = left(a), left(b)
    return {
        new.where: old.where
        for key, sites in second.items()
        if len(first.get(key, ())) == len(sites)
        for old, new in zip(first[key], sites, strict=True)
    }


def _by_place(
    a: Analysis, b: Analysis, moved: dict[Place, Place], calls: "_Calls"
) -> list[PlaceChange]:
    first, second = _at_places(a), _at_places(b)
    counterpart = {moved.get(place, place): at for place, at in second.items()}
    rows = []
    for place in first | counterpart:
        was, now = first.get(place), counterpart.get(place)
        shown = now or was or _AtPlace()
        before, after = was or _AtPlace(), now or _AtPlace()
        aligned = calls.changes.get(place, np.zeros(0))
        rows.append(
            PlaceChange(
                where=shown.where,
                where_a=was.where if was and was.where != shown.where else None,
                call=shown.call,
                only_in=None if was and now else "a" if was else "b",
                **{f"{part}_a_ns": before.parts[part] for part in _PARTS},
                **{f"{part}_b_ns": after.parts[part] for part in _PARTS},
                path_a_ns=before.path_ns,
                path_b_ns=after.path_ns,
                lambda_a=before.lambda_L,
                lambda_b=after.lambda_L,
                calls=aligned.size,
                slower=int(np.count_nonzero(aligned >= _LEAST_NS)),
                median_change_ns=float(np.median(aligned)) if aligned.size else 0.0,
            )
        )
    return sorted(rows, key=lambda row: (-abs(row.change_ns), -abs(row.path_change_ns)))


def _by_rank(a: Analysis, b: Analysis) -> RankChanges:
    ranks = a.trace.ranks if a.trace.ranks == b.trace.ranks else 0

    def columns(of: Analysis, side: str) -> dict[str, Floats]:
        found = {f"{part}_{side}_ns": np.zeros(ranks) for part in (*_PARTS, "path")}
        if not ranks:
            return found
        for rank, *_, what, ns in of.stated_waits().times.rows():
            part = what if what in ACTIVITIES else "wait"
            found[f"{part}_{side}_ns"][rank] += ns
        if of.by_rank is not None:
            found[f"path_{side}_ns"] = of.by_rank.path_ns
        return found

    return RankChanges(rank=np.arange(ranks), **columns(a, "a"), **columns(b, "b"))


# Single calls


@dataclass(frozen=True, slots=True)
class _Calls:
    """Pairs of single calls, compared one by one."""

    changes: dict[Place, Floats]
    """(pairs,) by place in A: growth of the time of each call from A to B, including the
    computation before the call."""
    a: EachCall | None = None
    b: EachCall | None = None
    pairs: tuple[Integers, Integers, Integers] = (
        np.zeros(0, np.int64),
        np.zeros(0, np.int64),
        np.zeros(0, np.int64),
    )
    """Index of the call in A, in B, and its number."""

    @classmethod
    def of(cls, a: EachCall | None, b: EachCall | None, moved: dict[Place, Place]) -> "_Calls":
        """Pairs the k-th calls of a rank at a place that has equally many calls in A and in B."""
        if a is None or b is None:
            return cls({})
        first, second = _grouped(a, {}), _grouped(b, moved)
        changes: dict[Place, list[Floats]] = {}
        pairs = []
        for key, of_a in first.items():
            of_b = second.get(key)
            if of_b is None or of_a.size != of_b.size:
                continue
            took = a.before_ns[of_a] + a.within_ns[of_a]
            takes = b.before_ns[of_b] + b.within_ns[of_b]
            changes.setdefault(key[1], []).append(takes - took)
            pairs.append(np.stack([of_a, of_b, np.arange(1, of_a.size + 1)]))
        if not pairs:
            return cls({})
        together = np.concatenate(pairs, axis=1)
        return cls(
            {place: np.concatenate(each) for place, each in changes.items()},
            a,
            b,
            (together[0], together[1], together[2]),
        )

    def largest(self) -> list[CallChange]:
        """The calls that changed most."""
        if self.a is None or self.b is None:
            return []
        a, b, (of_a, of_b, number) = self.a, self.b, self.pairs
        change = (b.before_ns[of_b] + b.within_ns[of_b]) - (a.before_ns[of_a] + a.within_ns[of_a])
        order = np.argsort(-np.abs(change), kind="stable")[:_LARGEST]
        rows = []
        for i in order[np.abs(change[order]) >= _LEAST_NS].tolist():
            old, new = int(of_a[i]), int(of_b[i])
            call, where = b.places[int(b.place[new])]
            rows.append(
                CallChange(
                    rank=int(b.rank[new]),
                    where=where,
                    call=call or "",
                    number=int(number[i]),
                    before_a_ns=float(a.before_ns[old]),
                    before_b_ns=float(b.before_ns[new]),
                    within_a_ns=float(a.within_ns[old]),
                    within_b_ns=float(b.within_ns[new]),
                )
            )
        return rows


def _grouped(each: EachCall, moved: dict[Place, Place]) -> dict[tuple[int, Place], Integers]:
    """Rank and place in A → indices of the calls, in program order."""
    if not each.rank.size:
        return {}
    names: list[Place] = [where or call for call, where in each.places]
    index = {name: i for i, name in enumerate(dict.fromkeys(names))}
    place = np.array([index[name] for name in names])[each.place]
    key = each.rank * len(index) + place
    order = np.argsort(key, kind="stable")
    first = np.flatnonzero(np.diff(key[order], prepend=-1))
    by_index = list(index)
    found = {}
    for calls in np.split(order, first[1:]):
        name = by_index[int(place[calls[0]])]
        found[int(each.rank[calls[0]]), moved.get(name, name)] = calls
    return found
