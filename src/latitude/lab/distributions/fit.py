"""Fits every continuous distribution of SciPy to samples and ranks the fits."""

from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path

import numpy as np
import scipy
from msgspec.structs import replace

from latitude._core import InputError
from latitude._types import Floats
from latitude.distributions.names import continuous, scipy_name
from latitude.files.progress import Progress, Silent
from latitude.files.provenance import Digest, provenance
from latitude.files.writing import whole_files
from latitude.lab.distributions import pool, worker
from latitude.lab.distributions.family import equal_mean_family
from latitude.lab.distributions.lognormal import fit_lognormal
from latitude.lab.distributions.pool import FitJob
from latitude.lab.distributions.tables import OTHER_MEAN
from latitude.lab.results.fit import (
    BootstrapP,
    Criterion,
    FitFailure,
    FitResult,
    FittedDistribution,
    SampleFigures,
)
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.samples.sizes import of_one_size
from latitude.statistics.sample import ROUNDING
from latitude.statistics.stream import Stream, stream
from latitude.units.quantities import format_time

BUDGET_S = 1.0
"""CPU time per distribution, s."""
LEAST_SAMPLES = 20
"""Fewest samples that can tell distributions apart."""
MOST = 10_000
"""Largest number of fitted samples, drawn at random if there are more; it suffices to tell families
apart.
"""
WINNERS = 3
RESAMPLES = 99
"""Resamples of a bootstrap; the smallest possible p-value is then 1 %."""
_BOOTSTRAP = 4
"""CPU time that the bootstrap of a winner may take, as a multiple of `budget_s`."""
_SAME_LIKELIHOOD, _SAME_KS = 0.05, 1e-3
"""Differences in log-likelihood and KS distance below which two fits are one curve."""


def fit_samples(
    path: str | PathLike[str],
    *,
    unit: str | None = None,
    size: int | None = None,
    names: Iterable[str] | None = None,
    budget_s: float = BUDGET_S,
    ranked_by: Criterion = "bic",
    winners: int = WINNERS,
    resamples: int = RESAMPLES,
    seed: int = 1,
    workers: int = 0,
    progress: Progress | None = None,
) -> FitResult:
    """Reads samples and fits distributions.

    Args:
        path: samples in a format of `read_samples`.
        unit: unit of the samples if the file does not state one.
        size: bytes of the messages whose samples count; None if the file has one size.
        names: distributions to fit; by default all of SciPy's.
        budget_s: CPU time per distribution, s.
        ranked_by: aic, bic, ks or sse.
        winners: number of distributions that get a bootstrap p-value.
        resamples: resamples of each bootstrap; 0 leaves out the bootstrap.
        seed: seed of the choice among many samples, and of the bootstrap.
        workers: processes; 0 means one per core.
        progress: display of the progress.

    Raises:
        InputError: the samples are wrong, too few, or all the same.
    """
    source = Path(path)
    progress = progress or Silent()
    progress.stage("Reading samples")
    summary = stream(of_one_size(source, unit=unit, size=size), seed, size=MOST, most=0)
    digest = Digest(whole_files(source, "*.parquet") if source.is_dir() else [source])
    _refuse(source, summary)
    chosen = np.sort(summary.chosen)
    known = continuous() if names is None else [scipy_name(name) for name in names]
    outcomes = _fit_all(known, chosen, budget_s, workers, progress)
    fits = _ranked([each for each in outcomes if isinstance(each, FittedDistribution)], ranked_by)
    failures = [each for each in outcomes if isinstance(each, FitFailure)]
    progress.stage("Making the family of equal means")
    lognormal = worker.assess("lognorm", fit_lognormal(chosen), chosen)
    result = FitResult(
        provenance=provenance(source, digest),
        samples=_info(summary, chosen),
        chosen=chosen,
        ranked_by=ranked_by,
        budget_s=budget_s,
        seed=seed,
        fits=fits,
        failures=sorted(failures, key=lambda failure: (failure.kind, failure.name)),
        lognormal=lognormal,
        family=[each.member for each in equal_mean_family(lognormal, summary.moments.mean)],
        warnings=[],
    )
    tested = [fit for fit in result.winners(winners) if fit.finished] if resamples else []
    fits = _with_p_values(result, tested, resamples, workers, progress)
    notices = [*_notices(summary, chosen, fits), *_family_notices(result)]
    return replace(result, fits=fits, warnings=notices)


def _refuse(source: Path, summary: Stream) -> None:
    moments = summary.moments
    if moments.most - moments.least <= ROUNDING * moments.most:
        raise InputError(
            f"{source}: all {moments.count:,} samples are {format_time(moments.mean)}: nothing to "
            f"fit; use the distribution constant({moments.mean:g}ns)"
        )
    if moments.count < LEAST_SAMPLES:
        raise InputError(
            f"{source}: {moments.count} samples cannot tell distributions apart; give at least "
            f"{LEAST_SAMPLES}, or take them as they are: --distribution empirical:{source}"
        )


def _fit_all(
    names: Sequence[str], chosen: Floats, budget_s: float, workers: int, progress: Progress
) -> list[FittedDistribution | FitFailure]:
    progress.stage("Fitting distributions", len(names))
    jobs = [FitJob(worker.fit_one, (name, chosen, budget_s), budget_s) for name in names]
    outcomes: list[FittedDistribution | FitFailure] = []
    for done in pool.run(jobs, workers):
        name = names[done.index]
        if done.killed:
            reason = f"stopped after {budget_s:g} s of CPU time; raise --budget"
            outcomes.append(FitFailure(name=name, kind="timeout", reason=reason))
        elif done.died:
            reason = "its process ended: SciPy crashed"
            outcomes.append(FitFailure(name=name, kind="exception", reason=reason))
        else:
            outcomes.append(done.value)
        progress.advance(1)
    return outcomes


def _ranked(fits: list[FittedDistribution], ranked_by: Criterion) -> list[FittedDistribution]:
    """The fits, best first, with a mark on later fits that are the same curve as an earlier one."""
    found: list[FittedDistribution] = []
    for fit in sorted(fits, key=lambda each: (each.criterion(ranked_by), each.name)):
        same = next((each.name for each in found if _same(each, fit)), None)
        found.append(replace(fit, same_as=same))
    return found


def _same(one: FittedDistribution, other: FittedDistribution) -> bool:
    return (
        one.same_as is None
        and len(one.parameters) == len(other.parameters)
        and abs(one.log_likelihood - other.log_likelihood) < _SAME_LIKELIHOOD
        and abs(one.ks - other.ks) < _SAME_KS
    )


def _with_p_values(
    result: FitResult,
    best: list[FittedDistribution],
    resamples: int,
    workers: int,
    progress: Progress,
) -> list[FittedDistribution]:
    """The fits, the best with p-values; a bootstrap is split into two jobs, for two cores."""
    jobs = []
    for index, fit in enumerate(best):
        for half, count in enumerate((resamples - resamples // 2, resamples // 2)):
            budget = _BOOTSTRAP * result.budget_s / 2
            own = result.seed * 1000 + index * 2 + half
            arguments = (fit, result.chosen.size, count, own, budget)
            jobs.append(FitJob(worker.bootstrap, arguments, budget))
    progress.stage("Bootstrapping the best", len(jobs))
    counts: dict[str, list[worker.Count]] = {}
    for done in pool.run(jobs, workers) if jobs else ():
        if isinstance(done.value, worker.Count):
            counts.setdefault(best[done.index // 2].name, []).append(done.value)
        progress.advance(1)
    return [replace(fit, p_value=_p_value(counts.get(fit.name, []))) for fit in result.fits]


def _p_value(counts: list[worker.Count]) -> BootstrapP | None:
    """The p-value of Davison, Hinkley, "Bootstrap Methods" (1997), eq. 4.11."""
    total = sum(count.resamples for count in counts)
    if not total:
        return None
    p = (1 + sum(count.further for count in counts)) / (1 + total)
    return BootstrapP(p=p, resamples=total)


def _info(summary: Stream, chosen: Floats) -> SampleFigures:
    moments = summary.moments
    shares = [0.5, 0.99, 0.999]
    found = np.quantile(chosen, shares) if summary.complete else summary.sketch.quantile(shares)
    median, p99, p999 = found.tolist()
    return SampleFigures(
        count=moments.count,
        fitted=chosen.size,
        least_ns=moments.least,
        mean_ns=moments.mean,
        sd_ns=moments.sd,
        median_ns=median,
        p99_ns=p99,
        p999_ns=p999,
        most_ns=moments.most,
    )


def _family_notices(result: FitResult) -> Iterator[Notice]:
    *shapes, loc, scale = result.lognormal.parameters.values()
    mean, observed = float(scipy.stats.lognorm.mean(*shapes, loc, scale)), result.samples.mean_ns
    if abs(mean - observed) > OTHER_MEAN * observed:
        yield kinds.FITTED_MEAN(
            f"the most likely lognormal has a mean of {format_time(mean)}, the samples have "
            f"{format_time(observed)}: the family of equal means keeps that of the samples, with "
            "another shape than the most likely one"
        )


def _notices(summary: Stream, chosen: Floats, fits: list[FittedDistribution]) -> Iterator[Notice]:
    if not summary.complete:
        yield kinds.FITTED_TO_A_CHOICE(
            f"distributions were fitted to {chosen.size:,} of {summary.moments.count:,} samples, "
            "chosen at random; mean, sd and the quantiles shown are of all"
        )
    different = np.unique(chosen).size
    if different < chosen.size / 10:
        yield kinds.COARSE_CLOCK(
            f"the samples have only {different:,} different values: they show the clock's "
            "resolution, not the latency"
        )
    tested = [fit for fit in fits if fit.p_value is not None]
    if tested and all(fit.rejected for fit in tested):
        names = ", ".join(fit.name for fit in tested)
        yield kinds.NO_GOOD_FIT(
            f"even the best fits ({names}) are rejected by their bootstrap p-values"
        )
