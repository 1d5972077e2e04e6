"""The experiment in sentences and rows; the terminal and the page say the same."""

from collections.abc import Sequence

from latitude.experiments.variation.result import Study, Variation
from latitude.statistics.mean_and_spread import Correlated
from latitude.units.p_values import format_log10_p, format_p
from latitude.units.quantities import format_share, format_time

SIGNIFICANT = 0.05
_NONE = "–"
_SHOWN = ("L", "l_wire", "d_switch", "o")
"""Of the network, at the head of the page."""

TABLE_HEAD = (
    "program",
    "r_mean",
    "r_std",
    "p as published",
    "means: r_mean",
    "means: r_std",
    "p (Williams)",
    "ρ_mean",
    "ρ_std",
)
COST_HEAD = (
    "program",
    "T without",
    "1 µs of mean costs",
    "1 µs of sd costs",
    "as much mean as 1 µs of sd",
    "R²",
    "constant, highest load",
    "fitted lognormal",
    "slowest",
)


def headline(result: Variation) -> str:
    """The answer in one sentence."""
    known = [s for s in result.studies if s.by_distribution is not None]
    if not known:
        return "Latency changes the runtime of none of these programs."
    more = [s for s in known if _std_more(s)]
    sure = [s for s in more if significant(s)]
    if len(result.studies) == 1:
        sign = "more" if more else "less"
        certain = "" if significant(known[0]) else ", but not significantly so"
        return (
            f"The runtime goes {sign} with the variation of latency than with its mean{certain}; "
            f"{_cost(known[0])}."
        )
    against = [s for s in known if not _std_more(s) and significant(s)]
    opposite = f"; significantly more with the mean in {_listed(against)}" if against else ""
    return (
        f"Runtime goes more with the variation of latency than with its mean in {len(more)} of "
        f"{len(result.studies)} programs, significantly in {_listed(sure)}{opposite}."
    )


def worst_sentence(result: Variation) -> str:
    """Who suffers most."""
    study = result.order()[0]
    load = result.design.loads[-1]
    who = "It" if len(result.studies) == 1 else study.name
    return (
        f"{who} takes up to {times(study.worst)} its runtime under the widest distribution; under "
        f"a constant of the highest mean, {format_time(mean_ns(result, load), 3)}, "
        f"{times(study.times(load, 'constant'))}."
    )


def random_sentence(result: Variation) -> str:
    """What is injected, and where."""
    random, design = result.random, result.design
    place = {
        "flow": "on the wire",
        "sender": "on the sender's CPU before it posts, as by the injector of Underwood et al.",
    }[random.where]
    each = {
        "message": "a draw a message",
        "pair": "a draw a pair of ranks and run",
        "rank": "a draw a sending rank and run",
    }[random.per]
    noise = f" Computation is noisy as well ({random.noise.text})." if random.noise else ""
    how = "in place of L" if random.total else "on top of L"
    return (
        f"Latency is injected {how}, {place}, {each}: at {len(design.loads)} loads "
        f"({format_share(design.loads[0])} to {format_share(design.loads[-1])}) five distributions "
        f"of one mean, {format_time(mean_ns(result, design.loads[0]), 3)} to "
        f"{format_time(mean_ns(result, design.loads[-1]), 3)}; {result.samples:,} runs under "
        f"each, all with random numbers of their own.{noise}"
    )


def table_row(study: Study) -> tuple[str, ...]:
    """As [U] Table 4, and what holds of the distributions' mean runtimes."""
    runs, means = study.by_run, study.by_distribution
    if runs is None or means is None:
        return (study.name, *[_NONE] * (len(TABLE_HEAD) - 1))
    return (
        study.name,
        *coefficients(runs),
        published_p(runs),
        *coefficients(means),
        _NONE if means.dependent is None else format_p(means.dependent.williams_p),
        f"{means.mean.spearman.r:.2f}",
        f"{means.std.spearman.r:.2f}",
    )


def cost_row(study: Study, load: float) -> tuple[str, ...]:
    """What mean and variation cost, each by itself, and how slow it becomes."""
    plane = study.plane
    worth = (
        f"{format_time(1e3 * plane.per_std / plane.per_mean, 2)}"
        if study.by_distribution is not None and plane.per_mean > 0
        else _NONE
    )
    return (
        study.name,
        format_time(study.T0_ns),
        format_time(1e3 * plane.per_mean, 3),
        format_time(1e3 * plane.per_std, 3),
        worth,
        f"{plane.r_squared:.3f}",
        times(study.times(load, "constant")),
        times(study.times(load, "lognormal-100")),
        times(study.worst),
    )


def design_facts(result: Variation) -> list[str]:
    """Of the page's head."""
    return [
        f"{len(result.design.treatments)} distributions",
        f"{result.samples:,} runs under each",
        f"seed {result.random.seed}",
        ", ".join(f"{k} = {v}" for k, v in result.network.describe().items() if k in _SHOWN),
        f"computed {result.provenance.date[:10]}",
    ]


def between_sentence(studies: Sequence[Study]) -> str:
    """How far the design itself can tell the two apart."""
    found = next((s.by_distribution for s in studies if s.by_distribution), None)
    if found is None:
        return ""
    return (
        f"Mean and sd of the distributions are themselves correlated by "
        f"{found.r_between:.2f}: a runtime that followed one of them alone would have this r with "
        "the other."
    )


def times(ratio: float) -> str:
    """3.72×."""
    return f"{ratio:,.2f}×"


def mean_ns(result: Variation, load: float) -> float:
    """Of the distributions at a load."""
    return next(t.latency.mean for t in result.design.treatments if t.load == load)


def significant(study: Study) -> bool:
    """Whether the two correlations of the distributions' means differ (Williams)."""
    found = study.by_distribution
    return (
        found is not None
        and found.dependent is not None
        and found.dependent.williams_p < SIGNIFICANT
    )


def _std_more(study: Study) -> bool:
    found = study.by_distribution
    return found is not None and found.std.pearson.r > found.mean.pearson.r


def _listed(studies: Sequence[Study]) -> str:
    names = f" ({', '.join(study.name for study in studies)})" if studies else ""
    return f"{len(studies) or 'none'}{names}"


def _cost(study: Study) -> str:
    plane = study.plane
    return (
        f"at one mean, 1 µs more of standard deviation costs {format_time(1e3 * plane.per_std, 3)}"
    )


def coefficients(found: Correlated) -> tuple[str, str]:
    """r_mean and r_std as [U] Table 4 prints them."""
    return f"{found.mean.pearson.r:.2f}", f"{found.std.pearson.r:.2f}"


def published_p(found: Correlated) -> str:
    """By the test of [U] §7."""
    return _NONE if found.fisher is None else format_log10_p(found.fisher.log10_p)
