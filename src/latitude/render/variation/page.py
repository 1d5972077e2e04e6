"""The page of the experiment."""

from collections.abc import Iterable, Sequence

from latitude.experiments.variation.result import Variation
from latitude.render.html import shell
from latitude.render.html.shell import wide_table
from latitude.render.variation import words
from latitude.render.variation.charts import charts
from latitude.results.variation_data import to_csv, to_json
from latitude.statistics.underwood import TABLE
from latitude.units.quantities import format_share, format_time

_METHOD = (
    "Method: Underwood, Anderson, Apon, “Measuring Network Latency Variation Impacts to High "
    "Performance Computing Application Performance”, ICPE’18, §5.3, §6 and §7, on execution graphs "
    "(Shen et al., “LLAMP”, SC’24) instead of a cluster. Williams’s test: Steiger, Psychological "
    "Bulletin 87, 1980."
)


def render(result: Variation) -> str:
    """The whole page as one HTML text that needs no network."""
    shown = charts(result)
    studies, load, base = result.studies, result.design.loads[-1], result.design.base
    body = "\n".join(
        [
            _section(
                "Mean or variation",
                "Pearson’s r of runtime with mean and with standard deviation of the injected "
                f"latency. {words.between_sentence(studies)}",
                words.TABLE_HEAD,
                map(words.table_row, studies),
                note="Left: over all runs, with the one-sided test that Underwood et al. print; "
                "runs under one distribution repeat it, so that p shrinks with every run made. "
                "Right: over the distributions’ mean runtimes, with the two-sided test for "
                "correlations that share the runtimes; ρ is Spearman’s.",
            ),
            shell.section(shown[0]),
            shell.section(shown[1]),
            _section(
                "What a microsecond costs",
                "Mean runtime ≈ c + a · mean + b · sd, by least squares over the distributions: "
                "what mean and variation cost, each while the other stays.",
                words.COST_HEAD,
                (words.cost_row(study, load) for study in studies),
            ),
            shell.section(shown[2]),
            _section(
                "As published",
                "Table 4 of Underwood et al.: NPB classes B and C, 64 processes on 8 nodes, "
                "latency injected into InfiniBand’s post_send.",
                ("program", "r_mean", "r_std", "p"),
                ((r.program, f"{r.r_mean:.2f}", f"{r.r_std:.2f}", f"{r.p:.2e}") for r in TABLE),
            ),
            _section(
                "The distributions",
                "The location stays, the scale goes with load ρ as ρ/(1 − ρ); at each load the "
                "shape keeps the mean. The highest load’s lognormal is "
                f"{base.in_words() if base.fitted else base.text}.",
                ("load", "distribution", "mean", "sd", "p99", "largest"),
                (
                    (
                        format_share(t.load),
                        t.name,
                        format_time(t.latency.mean),
                        format_time(t.latency.sd),
                        format_time(t.latency.quantile(0.99)),
                        format_time(float(t.latency.values[-1])),
                    )
                    for t in result.design.treatments
                ),
                note="Of tables of 4,096 entries, which is what programs meet: the tail beyond "
                "p99.976 is one entry, so that the sd of the widest is less than the formula’s.",
            ),
            shell.notes(result.warnings),
        ]
    )
    return shell.render(
        shell.Shell(
            kind="mean or variation of latency",
            name=studies[0].name if len(studies) == 1 else f"{len(studies)} programs",
            title="mean or variation",
            facts=words.design_facts(result),
            headline=words.headline(result),
            answer=[words.worst_sentence(result), words.random_sentence(result)],
            cards=[],
            body=body,
            charts=shown,
            data=[
                shell.Data("variation.json", to_json(result)),
                shell.Data("variation.csv", to_csv(result)),
            ],
            provenance=shell.origin(result.provenance),
            method=_METHOD,
            warnings=result.warnings,
        )
    )


def _section(
    title: str, reading: str, head: Sequence[str], rows: Iterable[Sequence[str]], note: str = ""
) -> str:
    return shell.text_section(title, reading, wide_table(head, rows), note)
