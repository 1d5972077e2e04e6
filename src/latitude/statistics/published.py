"""`latitude stats fisher`: the tests of [U] §7 on printed correlations."""

from dataclasses import dataclass

from latitude.statistics.correlation_difference import (
    Dependent,
    Fisher,
    Unknown,
    between_unknown,
    dependent,
    fisher,
)


@dataclass(frozen=True, slots=True)
class Published:
    """Fisher's z and, with or without the correlation between the columns, Williams's test."""

    fisher: Fisher
    dependent: Dependent | None
    unknown: Unknown | None


def published(r_mean: float, r_std: float, n: int, r_between: float | None = None) -> Published:
    """Tests two printed correlations of n runs."""
    if r_between is None:
        return Published(fisher(r_mean, r_std, n), None, between_unknown(r_mean, r_std, n))
    return Published(fisher(r_mean, r_std, n), dependent(r_mean, r_std, r_between, n), None)
