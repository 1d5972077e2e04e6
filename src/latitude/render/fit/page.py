"""Puts the page together."""

from string import Template

from latitude.distributions.fitting.result import FitResult
from latitude.render.fit.curves import curves
from latitude.render.fit.density import density_chart
from latitude.render.fit.qq import qq_chart
from latitude.render.fit.tables import failure_table, family_table, ranking_table
from latitude.render.fit.tail import tail_chart
from latitude.render.fit.words import headline, p_text, parameters, sample_name, sample_sentence
from latitude.render.html import shell
from latitude.render.html.markup import escape
from latitude.results.fit_data import ranking_csv, to_json
from latitude.units.quantities import format_time

_STYLE = """
table.fits td:nth-child(2), table.fits th:nth-child(2),
table.fits td:nth-child(3), table.fits th:nth-child(3) { text-align: left; }
table.fits td:nth-child(3) {
  white-space: normal; color: var(--muted); font-size: 13.5px; min-width: 15em;
}
summary { cursor: pointer; margin-top: 12px; color: var(--accent); }
"""


def render(result: FitResult) -> str:
    """The whole page as one HTML text that needs no network."""
    drawn = curves(result)
    charts = [density_chart(drawn), tail_chart(drawn), qq_chart(drawn)]
    body = Template(shell.resource("latitude.render.fit", "body.html")).substitute(
        warnings=shell.notes(result.warnings),
        charts="\n".join(shell.section(chart) for chart in charts),
        ranking=ranking_table(result),
        ranked_by=result.ranked_by.upper(),
        fitted=f"{len(result.fits)}",
        tried=f"{len(result.fits) + len(result.failures)}",
        failed=f"{len(result.failures)}",
        failures=failure_table(result),
        lognormal=escape(parameters(result.lognormal)),
        family=family_table(result),
    )
    budget = f"{result.budget_s:g} s of CPU time a distribution, {result.seed}"
    return shell.render(
        shell.Shell(
            kind="latency distribution",
            name=sample_name(result),
            title="latency distribution",
            facts=_facts(result),
            headline=headline(result),
            answer=[sample_sentence(result)],
            cards=_cards(result),
            body=body,
            charts=charts,
            data=[
                shell.Data("fit.json", to_json(result)),
                shell.Data("ranking.csv", ranking_csv(result)),
            ],
            provenance=shell.origin(result.provenance, [("budget, seed", budget)]),
            method="Method: maximum likelihood from several starts; location and scale of every "
            "distribution are free.",
            warnings=result.warnings,
            style=_STYLE,
        )
    )


def _facts(result: FitResult) -> list[str]:
    info = result.samples
    facts = [f"{info.count:,} samples"]
    if info.fitted < info.count:
        facts.append(f"{info.fitted:,} of them fitted")
    return [*facts, f"fitted {result.provenance.date[:10]}"]


def _cards(result: FitResult) -> list[shell.Card]:
    info = result.samples
    cards = [
        ("median", format_time(info.median), f"mean {format_time(info.mean)}"),
        ("spread", format_time(info.sd), "standard deviation"),
        ("p99", format_time(info.p99), f"p99.9 {format_time(info.p999)}"),
    ]
    if (best := result.best()) is not None:
        p = f", p = {p_text(best)}" if best.p_value else ""
        cards.append(("best fit", best.name, f"KS {best.ks:.3f}{p}"))
    return cards
