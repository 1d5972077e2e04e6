"""Makes the table of latencies of a fit."""

from latitude._core import InputError
from latitude.distributions.cells import table_of_distribution
from latitude.distributions.names import ALIASES, scipy_distribution
from latitude.distributions.specification import empirical_table
from latitude.distributions.table import QuantileTable
from latitude.lab.results.fit import FitResult, FittedDistribution
from latitude.notices import kinds
from latitude.units.quantities import format_time

OTHER_MEAN = 0.01
"""Relative difference of means of fit and samples above which there is a warning."""
_NOT_THEIRS = 0.1
"""Relative difference of means of table and samples above which the table is rejected."""


def chosen_table(
    result: FitResult, choice: str, unit: str | None = None, size: int | None = None
) -> QuantileTable:
    """The table of `best`, `lognormal`, `empirical` or a fitted distribution.

    `unit` and `size` are those of the fitted samples. InputError: the distribution was not fitted,
    or its mean differs by over 10 % from the samples' mean.
    """
    if choice == "empirical":
        return empirical_table(result.provenance.input, unit, size)
    fit = _chosen(result, choice)
    *shapes, loc, scale = fit.parameters.values()
    frozen = scipy_distribution(fit.name)(*shapes, loc=loc, scale=scale)
    table = table_of_distribution(frozen, fit.distribution)
    mean, observed = table.after.mean, result.samples.mean_ns
    if abs(mean - observed) > _NOT_THEIRS * observed:
        raise InputError(
            f"--table-of: {fit.name} has a mean of {format_time(mean)}, and the samples have "
            f"{format_time(observed)}: it does not describe them; use --table-of empirical"
        )
    if abs(mean - observed) > OTHER_MEAN * observed:
        table.notices.append(
            kinds.FITTED_MEAN(
                f"the table of {fit.name} has a mean of {format_time(mean)}, the samples have "
                f"{format_time(observed)}"
            )
        )
    return table


def _chosen(result: FitResult, choice: str) -> FittedDistribution:
    if choice == "lognormal":
        return result.lognormal
    if choice == "best":
        best = result.best()
        if best is None:
            raise InputError("no distribution could be fitted; use --table-of empirical")
        return best
    fit = result.named(ALIASES.get(choice, choice))
    if fit is None:
        raise InputError(
            f"--table-of: '{choice}' was not fitted; use best, lognormal, empirical or a name in "
            "the ranking"
        )
    return fit
