"""Results as plain data: JSON and CSV. Times are ns; what does not exist is null."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from latitude.files.provenance import stamped
from latitude.files.text import csv_text, finite, json_text
from latitude.statistics.assumptions import (
    COMPARE_ASSUMPTIONS,
    CORRELATE_ASSUMPTIONS,
    FISHER_ASSUMPTIONS,
    TAIL_ASSUMPTIONS,
    Assumption,
)
from latitude.statistics.comparison import Comparison
from latitude.statistics.corrections import Corrected
from latitude.statistics.published import Published
from latitude.statistics.relation import Related, Relation, Relations
from latitude.statistics.tailreport import GroupTail, TailReport


def tail_dict(report: TailReport) -> dict[str, Any]:
    """`latitude.stats.tail/1`."""
    return {
        "schema": "latitude.stats.tail/1",
        "provenance": asdict(report.provenance),
        "confidence": 0.95,
        "groups": [_group(group) for group in report.groups],
        "assumptions": _assumptions(TAIL_ASSUMPTIONS),
    }


def _group(group: GroupTail) -> dict[str, Any]:
    summary, shape = group.summary, group.modes
    return {
        "name": group.name,
        "n": summary.n,
        "mean_ns": summary.mean_ns,
        "sd_ns": summary.sd_ns,
        "median_ns": summary.median_ns,
        "gap_ns": summary.gap_ns,
        "least_ns": summary.least_ns,
        "largest_ns": summary.largest_ns,
        "autocorrelation": group.autocorrelation,
        "percentiles": [{"name": p.name, **asdict(p)} for p in summary.percentiles],
        "tail_index": None
        if summary.index is None
        else {**asdict(summary.index), "settled": summary.index.settled},
        "long_tail": asdict(summary.long_tail),
        "modes": {
            "count": shape.count,
            "locations_ns": list(shape.locations_ns),
            "heights_per_ns": list(shape.heights_per_ns),
            "peak_ns": shape.peak_ns,
            "peak_per_ns": shape.peak_per_ns,
            "bandwidth_ns": shape.bandwidth_ns,
            "half_bandwidth_count": shape.half_count,
            "double_bandwidth_count": shape.double_count,
            "dip": shape.dip,
            "dip_p": shape.p_value,
            "multimodal": shape.multimodal,
        },
        "warnings": [notice.to_json() for notice in group.warnings],
    }


def tail_csv(report: TailReport) -> str:
    """One row a group and percentile."""
    return csv_text(
        ("group", "n", "percentile", "value_ns", "low_ns", "high_ns", "needed_n"),
        (
            (g.name, g.summary.n, p.share, p.value_ns, p.low_ns, p.high_ns, p.needed)
            for g in report.groups
            for p in g.summary.percentiles
        ),
    )


def comparison_dict(result: Comparison) -> dict[str, Any]:
    """`latitude.stats.compare/1`."""
    return {
        "schema": "latitude.stats.compare/1",
        "provenance": asdict(result.provenance),
        "confidence": 0.95,
        "groups": [
            {
                **_group(member.tail),
                "normality": None
                if member.normality is None or member.p is None
                else {
                    "distance": member.normality.distance,
                    "p_plain": member.normality.p_plain,
                    "p_lilliefors": _corrected(member.p),
                },
            }
            for member in result.groups
        ],
        "pairs": [
            {
                "a": pair.a,
                "b": pair.b,
                "mann_whitney": {**_ranks(pair.ranks), "p": _corrected(pair.ranks_p)},
                "kolmogorov_smirnov": {
                    "distance": pair.distance,
                    "p": _corrected(pair.distance_p),
                },
            }
            for pair in result.pairs
        ],
        "warnings": [notice.to_json() for notice in result.warnings],
        "assumptions": _assumptions(COMPARE_ASSUMPTIONS),
    }


def _ranks(test: Any) -> dict[str, Any]:
    named = asdict(test)
    return {
        "u": named["u"],
        "exact": named["exact"],
        "larger": named["larger"],
        "larger_low": named["larger_low"],
        "larger_high": named["larger_high"],
        "rank_biserial": named["rank_biserial"],
        "shift_ns": named["shift"],
        "shift_low_ns": named["shift_low"],
        "shift_high_ns": named["shift_high"],
    }


def _corrected(value: Corrected) -> dict[str, float]:
    return asdict(value)


def comparison_csv(result: Comparison) -> str:
    """One row a pair."""
    return csv_text(
        (
            *("a", "b", "u", "larger", "larger_low", "larger_high", "rank_biserial"),
            *("shift_ns", "shift_low_ns", "shift_high_ns", "p", "p_holm", "p_bh"),
            *("ks_distance", "ks_p", "ks_p_holm", "ks_p_bh"),
        ),
        (
            (
                *(pair.a, pair.b, pair.ranks.u, pair.ranks.larger, pair.ranks.larger_low),
                *(pair.ranks.larger_high, pair.ranks.rank_biserial, pair.ranks.shift),
                *(pair.ranks.shift_low, pair.ranks.shift_high),
                *(pair.ranks_p.p, pair.ranks_p.holm, pair.ranks_p.bh, pair.distance),
                *(pair.distance_p.p, pair.distance_p.holm, pair.distance_p.bh),
            )
            for pair in result.pairs
        ),
    )


def relations_dict(result: Relations) -> dict[str, Any]:
    """`latitude.stats.correlate/1`. Slopes are per ns of x where x is a time, in ns if y is one."""
    return {
        "schema": "latitude.stats.correlate/1",
        "provenance": asdict(result.provenance),
        "confidence": 0.95,
        "groups": [_related(group) for group in result.groups],
        "assumptions": _assumptions(CORRELATE_ASSUMPTIONS),
    }


def _related(group: Related) -> dict[str, Any]:
    difference = group.difference
    return {
        "name": group.name,
        "n": group.n,
        "y": {"name": group.y.name, "unit": "ns" if group.y.is_time else "1"},
        "relations": [
            {
                "x": {"name": each.x.name, "unit": "ns" if each.x.is_time else "1"},
                "pearson": asdict(each.pearson),
                "spearman": asdict(each.spearman),
                "line": asdict(each.line),
            }
            for each in group.relations
        ],
        "fisher": None if difference is None else asdict(difference.fisher),
        "dependent": None
        if difference is None or difference.dependent is None or difference.p is None
        else {**asdict(difference.dependent), "williams_p_corrected": _corrected(difference.p)},
        "warnings": [notice.to_json() for notice in group.warnings],
    }


def relations_csv(result: Relations) -> str:
    """One row a group and x."""

    def row(group: Related, each: Relation) -> tuple[Any, ...]:
        r, rho, fit = each.pearson, each.spearman, each.line
        return (
            *(group.name, group.n, each.x.name, group.y.name, r.r, r.low, r.high, r.p),
            *(rho.r, rho.low, rho.high, rho.p, fit.slope, fit.slope_low, fit.slope_high),
            *(fit.intercept, fit.r_squared, fit.residual_sd),
        )

    return csv_text(
        (
            *("group", "n", "x", "y", "pearson", "pearson_low", "pearson_high", "pearson_p"),
            *("spearman", "spearman_low", "spearman_high", "spearman_p"),
            *("slope", "slope_low", "slope_high", "intercept", "r_squared", "residual_sd"),
        ),
        (row(group, each) for group in result.groups for each in group.relations),
    )


def published_dict(result: Published) -> dict[str, Any]:
    """`latitude.stats.fisher/1`."""
    return stamped(
        "latitude.stats.fisher/1",
        {
            "fisher": asdict(result.fisher),
            "dependent": None if result.dependent is None else asdict(result.dependent),
            "r_between_unknown": None if result.unknown is None else asdict(result.unknown),
            "assumptions": _assumptions(FISHER_ASSUMPTIONS),
        },
    )


def _assumptions(chosen: Sequence[Assumption]) -> list[dict[str, str]]:
    return [asdict(each) for each in chosen]


def to_json(content: dict[str, Any]) -> str:
    """JSON text; infinities and NaN become null."""
    return json_text(finite(content))
