"""Documents of fits to samples, and of written tables."""

import math
from collections.abc import Sequence
from pathlib import Path, PurePath

from latitude.distributions.table import QuantileTable, seed_path
from latitude.lab.documents.fit_charts import fit_charts
from latitude.lab.results.fit import FitResult, FittedDistribution, SampleFigures
from latitude.render.document import (
    Card,
    Details,
    Document,
    File,
    Origin,
    Part,
    Section,
    Span,
    Table,
    origin,
)
from latitude.render.tables import Shown, table
from latitude.units.quantities import format_time, signed

_FIRST = 12
"""Number of fits that the page shows before unfolding."""
_TINY = 1e-3
"""Smallest shown latency, ns; a smaller latency would be mostly zeros after the point."""


def fit_document(result: FitResult, top: int) -> Document:
    """The result of `latitude fit`; the terminal shows the `top` best."""
    info = result.samples
    chosen = [f"{info.fitted:,} of them fitted"] if info.fitted < info.count else []
    return Document(
        kind="latency distribution",
        name=PurePath(result.provenance.input).name or result.provenance.input,
        facts=[f"{info.count:,} samples", *chosen, f"fitted {result.provenance.date[:10]}"],
        headline=_headline(result),
        answer=[_figures(info)],
        cards=_cards(result),
        parts=[*fit_charts(result), *_ranking(result, top), _family(result), _failures(result)],
        notices=result.warnings,
        files=[File("fit.json", result.to_json), File("ranking.csv", result.to_csv)],
        origin=origin(
            result.provenance,
            [
                Origin(
                    "budget, seed",
                    f"{result.budget_s:g} s of CPU time per distribution, {result.seed}",
                )
            ],
        ),
        method="Method: maximum likelihood from several starts; location and scale of every "
        "distribution are free.",
    )


def table_document(table: QuantileTable, path: Path) -> Document:
    """The written table, and the properties of its source that 4,096 entries cannot keep."""

    def row(name: str, *values: float) -> tuple[str, ...]:
        return (name, *(format_time(v, 6) if math.isfinite(v) else "none" for v in values))

    before, after = table.before, table.after
    rows = [row("distribution", before.mean, before.sd, before.p999)] if before else []
    rows.append(row("table", after.mean, after.sd, after.p999))
    return Document(
        name=str(path),
        facts=[f"its seed in {seed_path(path)}"],
        headline=f"{path} holds 4,096 latencies of {table.source}.",
        parts=[Section("", [Table(("", "mean", "sd", "p99.9"), rows, brief=len(rows))])],
        notices=table.notices,
    )


def _headline(result: FitResult) -> str:
    count = result.samples.count
    best = result.best()
    if best is None:
        return f"None of SciPy's distributions could be fitted to these {count:,} latencies."
    verdict = {None: "", True: ", though it is rejected", False: ", and is not rejected"}[
        best.rejected
    ]
    rivals = sum(fit.same_as is None and fit is not best for fit in result.equals())
    rest = "" if not rivals else f" ({rivals} with as many parameters or more are as good)"
    return (
        f"Of {len(result.fits)} distributions, {best.name} describes these {count:,} latencies "
        f"best{verdict}{rest}."
    )


def _figures(info: SampleFigures) -> str:
    return (
        f"Mean {format_time(info.mean_ns)}, median {format_time(info.median_ns)}, sd "
        f"{format_time(info.sd_ns)}; one in a hundred takes longer than "
        f"{format_time(info.p99_ns)}, the longest takes {format_time(info.most_ns)}."
    )


def _cards(result: FitResult) -> list[Card]:
    info = result.samples
    cards = [
        Card("median", format_time(info.median_ns), f"mean {format_time(info.mean_ns)}"),
        Card("spread", format_time(info.sd_ns), "standard deviation"),
        Card("p99", format_time(info.p99_ns), f"p99.9 {format_time(info.p999_ns)}"),
    ]
    if (best := result.best()) is not None:
        p = f", p = {_p(best)}" if best.p_value else ""
        cards.append(Card("best fit", best.name, f"KS {best.ks:.3f}{p}"))
    return cards


def _ranking(result: FitResult, top: int) -> list[Section]:
    """The best fits; the page unfolds the other fits, and the terminal leaves them out."""
    aic = min((fit.aic for fit in result.fits), default=0.0)
    bic = min((fit.bic for fit in result.fits), default=0.0)
    ranks = {id(fit): str(rank) for rank, fit in enumerate(result.fits, 1)}
    criteria: list[Shown[FittedDistribution]] = [
        ("ΔBIC", lambda fit: f"{fit.bic - bic:,.1f}"),
        ("ΔAIC", lambda fit: f"{fit.aic - aic:,.1f}"),
        "ks",
    ]

    def ranked(fits: Sequence[FittedDistribution]) -> Table:
        return table(
            fits,
            ("", lambda fit: ranks[id(fit)]),
            "name",
            ("parameters", _parameters),
            *(*criteria, "sse_per_us2", "p_value.p"),
            ("", lambda fit: Span(_remark(fit), "badge") if _remark(fit) else ""),
            kind="fits",
            brief=0,
            none="",
        )

    parts: list[Part] = [ranked(result.fits[:_FIRST])]
    if len(result.fits) > _FIRST:
        parts.append(Details(f"{len(result.fits) - _FIRST} more", [ranked(result.fits[_FIRST:])]))
    shown = table(
        result.fits,
        *("name", *criteria, "p_value.p"),
        ("parameters", lambda fit: f"{_parameters(fit)}  {_remark(fit)}"),
        brief=top,
        none="",
    )
    return [
        Section(
            "Ranking",
            parts,
            f"{len(result.fits)} of {len(result.fits) + len(result.failures)} continuous "
            "distributions of SciPy could be fitted; the smallest "
            f"{result.ranked_by.upper()} comes first.",
            "ΔBIC and ΔAIC count from the smallest; up to 2 is no difference worth naming, and the "
            "distribution with the fewest parameters is then called best. KS is the largest "
            "distance between the distribution functions. SSE is taken against a histogram of 100 "
            "equal bins, densities per µs, as Salimi Beni and Cosenza do. p is the share of "
            "samples drawn from the fit itself that lie further from their own refit (parametric "
            "bootstrap); below 0.05 the fit is rejected.",
        ),
        Section(f"Best of {len(result.fits)}, by {result.ranked_by.upper()}", [shown], page=False),
    ]


def _parameters(fit: FittedDistribution) -> str:
    """The parameters in words: `s = 0.57, loc = 2.021 µs, scale = 2.848 µs`."""
    return ", ".join(
        f"{name} = {_time(value) if name in ('loc', 'scale') else f'{value:.4g}'}"
        for name, value in fit.parameters.items()
    )


def _time(ns: float) -> str:
    if 0 < abs(ns) < _TINY:
        return f"{ns:.3g} ns"
    return signed(ns, plus="")


def _remark(fit: FittedDistribution) -> str:
    same = [f"same curve as {fit.same_as}"] if fit.same_as is not None else []
    return "; ".join([*same, *([] if fit.finished else ["stopped at the budget"])])


def _p(fit: FittedDistribution) -> str:
    return "" if fit.p_value is None else f"{fit.p_value.p:.2g}"


def _family(result: FitResult) -> Section:
    """The distributions with equal mean."""
    return Section(
        "Family of equal means",
        [table(result.family, "in_words", "mean_ns", "sd_ns", "table.sd_ns", "table.p999_ns")],
        "A constant with the mean of the samples, and lognormals with the location and a share of "
        f"the scale of the fitted one ({_parameters(result.lognormal)}), whose shape gives them "
        "the same mean: only the variation differs.",
        "Underwood, Anderson, Apon, “Measuring Network Latency Variation Impacts to High "
        "Performance Computing Application Performance”, ICPE’18, §5.3. Write their tables with "
        "“latitude fit … --family DIR”. A table has 4,096 entries: it keeps the mean, and the sd "
        "up to what lies beyond p99.976.",
    )


def _failures(result: FitResult) -> Section:
    return Section(f"Not fitted: {len(result.failures)}", [table(result.failures, kind="model")])
