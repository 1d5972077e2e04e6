"""Rows of tables, as text; the terminal and the page show the same."""

from latitude.render.statistics.sentences import (
    interval_text,
    p_value,
    power_of_ten,
    range_of,
    signed,
    slope_text,
)
from latitude.statistics.comparison import Pair
from latitude.statistics.relation import Related
from latitude.statistics.tail import TailSummary
from latitude.statistics.tailreport import GroupTail
from latitude.units.quantities import format_share, format_time

PERCENTILE_HEAD = ("percentile", "latency", "95 % interval")
NORMALITY_HEAD = ("group", "D", "Lilliefors p", "plain p", "")
GROUP_HEAD = ("group", "n", "median", "mean", "sd", "p99", "p99.9", "α", "modes", "dip p")
PAIR_HEAD = (
    *("pair", "larger", "rank-biserial", "shift", "p", "p (Holm)", "p (BH)"),
    *("KS D", "p (Holm)"),
)
RELATION_HEAD = ("group", "n", "with", "Pearson r", "Spearman ρ", "slope", "R²")


def percentile_rows(summary: TailSummary) -> list[tuple[str, ...]]:
    """One a percentile."""
    return [(p.name, format_time(p.value_ns), range_of(p)) for p in summary.percentiles]


def percentile_row(group: GroupTail) -> tuple[str, ...]:
    """All percentiles of a group, without intervals."""
    return (group.name, *(format_time(p.value_ns, 3) for p in group.summary.percentiles))


def group_row(group: GroupTail) -> tuple[str, ...]:
    """A group in short."""
    summary = group.summary
    return (
        group.name,
        f"{summary.n:,}",
        format_time(summary.median_ns),
        format_time(summary.mean_ns),
        format_time(summary.sd_ns),
        format_time(summary.at(0.99).value_ns),
        format_time(summary.at(0.999).value_ns),
        f"{summary.index.alpha:.2f}" if summary.index else "–",
        str(group.modes.count),
        p_value(group.modes.p_value, simulated=True),
    )


def pair_row(pair: Pair) -> tuple[str, ...]:
    """A pair: effect, shift, p-values."""
    test = pair.ranks
    low, high = format_share(test.larger_low), format_share(test.larger_high)
    return (
        f"{pair.a} / {pair.b}",
        f"{format_share(test.larger)} ({low} – {high})",
        f"{test.rank_biserial:+.3f}",
        f"{signed(test.shift)} ({signed(test.shift_low)} … {signed(test.shift_high)})",
        p_value(pair.ranks_p.p),
        p_value(pair.ranks_p.holm),
        p_value(pair.ranks_p.bh),
        f"{pair.distance:.3f}",
        p_value(pair.distance_p.holm),
    )


def relation_rows(group: Related) -> list[tuple[str, ...]]:
    """One an x."""
    return [
        (
            group.name,
            f"{group.n:,}",
            each.x.name.replace("_", " "),
            interval_text(each.pearson),
            interval_text(each.spearman),
            slope_text(each, group.y),
            f"{each.line.r_squared:.3f}",
        )
        for each in group.relations
    ]


def difference_rows(group: Related) -> list[tuple[str, ...]]:
    """None or one."""
    if group.difference is None or group.difference.dependent is None:
        return []
    z, both = group.difference.fisher, group.difference.dependent
    return [
        (
            group.name,
            f"{both.r_mean:.3f}",
            f"{both.r_std:.3f}",
            f"{both.r_between:.3f}",
            f"{z.z:.2f}",
            power_of_ten(z.log10_p),
            f"{both.williams_t:.2f}",
            p_value(both.williams_p),
            p_value(group.difference.p.holm) if group.difference.p else "",
            f"{both.steiger_z:.2f}",
            p_value(both.steiger_p),
        )
    ]
