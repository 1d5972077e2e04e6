"""Tables of the page."""

from latitude.distributions.fitting.result import Fit, FitResult
from latitude.render.fit.words import member_words, p_text, parameters, remark
from latitude.render.html.markup import escape
from latitude.render.html.shell import table
from latitude.units.quantities import format_time

_FIRST = 12
"""Fits shown without unfolding."""


def ranking_table(result: FitResult) -> str:
    """The best fits; the others unfold."""
    aic = min((fit.aic for fit in result.fits), default=0.0)
    bic = min((fit.bic for fit in result.fits), default=0.0)
    rows = [_row(rank, fit, aic, bic) for rank, fit in enumerate(result.fits, 1)]
    head = ("", "distribution", "parameters", "ΔBIC", "ΔAIC", "KS", "SSE", "p", "")
    shown = f"<div class=wide>{table(head, rows[:_FIRST], 'fits')}</div>"
    if len(rows) > _FIRST:
        more = table(head, rows[_FIRST:], "fits")
        shown += (
            f"<details><summary>{len(rows) - _FIRST} more</summary>"
            f"<div class=wide>{more}</div></details>"
        )
    return shown


def _row(rank: int, fit: Fit, aic: float, bic: float) -> tuple[str, ...]:
    note = remark(fit)
    return (
        f"{rank}",
        f"<code>{escape(fit.name)}</code>",
        escape(parameters(fit)),
        f"{fit.bic - bic:,.1f}",
        f"{fit.aic - aic:,.1f}",
        f"{fit.ks:.4f}",
        f"{fit.sse:.3g}",
        p_text(fit),
        f"<em>{escape(note)}</em>" if note else "",
    )


def failure_table(result: FitResult) -> str:
    """Every distribution that could not be fitted, with its reason."""
    rows = [
        (f"<code>{escape(each.name)}</code>", escape(each.kind), escape(each.reason))
        for each in result.failures
    ]
    return table(("distribution", "kind", "reason"), rows, "model") if rows else ""


def family_table(result: FitResult) -> str:
    """The distributions of equal mean."""
    rows = [
        (
            escape(member_words(member.name)),
            format_time(member.mean, 6),
            format_time(member.sd),
            format_time(member.table.sd),
            format_time(member.table.p999),
        )
        for member in result.family
    ]
    head = ("distribution", "mean", "sd", "sd of its table", "p99.9 of its table")
    return table(head, rows)
