"""Fits in sentences; the terminal and the page say the same."""

from pathlib import PurePath

from latitude.distributions.fitting.result import Fit, FitResult
from latitude.units.quantities import format_time

REJECTED = 0.05
_TINY = 1e-3
"""Ns; below, zeros after the point would be counted."""


def sample_name(result: FitResult) -> str:
    """What to call the samples."""
    return PurePath(result.provenance.input).name or result.provenance.input


def headline(result: FitResult) -> str:
    """The answer in one sentence."""
    count = result.samples.count
    if not result.fits:
        return f"None of SciPy's distributions could be fitted to these {count:,} latencies."
    best = result.best()
    assert best is not None  # noqa: S101 - there are fits
    verdict = {None: "", True: ", though it is rejected", False: ", and is not rejected"}[
        rejected(best)
    ]
    rivals = sum(fit.same_as is None and fit is not best for fit in result.equals())
    rest = "" if not rivals else f" ({rivals} with as many parameters or more are as good)"
    return (
        f"Of {len(result.fits)} distributions, {best.name} describes these {count:,} latencies "
        f"best{verdict}{rest}."
    )


def rejected(fit: Fit) -> bool | None:
    """Whether the bootstrap rejects it; None when it was not asked."""
    return None if fit.p_value is None else fit.p_value.p < REJECTED


def sample_sentence(result: FitResult) -> str:
    """Centre and tail in one sentence."""
    info = result.samples
    return (
        f"Mean {format_time(info.mean)}, median {format_time(info.median)}, sd "
        f"{format_time(info.sd)}; one in a hundred takes longer than {format_time(info.p99)}, the "
        f"longest takes {format_time(info.most)}."
    )


def parameters(fit: Fit) -> str:
    """`s = 0.57, loc = 2.021 µs, scale = 2.848 µs`."""
    return ", ".join(
        f"{name} = {_time(value) if name in ('loc', 'scale') else f'{value:.4g}'}"
        for name, value in fit.parameters.items()
    )


def _time(ns: float) -> str:
    if 0 < abs(ns) < _TINY:
        return f"{ns:.3g} ns"
    return f"{'−' if ns < 0 else ''}{format_time(abs(ns))}"


def remark(fit: Fit) -> str:
    """What else to know about a fit."""
    remarks = []
    if fit.same_as is not None:
        remarks.append(f"same curve as {fit.same_as}")
    if not fit.finished:
        remarks.append("stopped at the budget")
    return "; ".join(remarks)


def p_text(fit: Fit) -> str:
    """The p-value, or nothing."""
    return "" if fit.p_value is None else f"{fit.p_value.p:.2g}"


def member_words(name: str) -> str:
    """`lognormal-25` → `lognormal, 25 % of the scale`."""
    kind, _, share = name.partition("-")
    return f"{kind}, {share} % of the scale" if share else kind
