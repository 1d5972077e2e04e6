"""Distributions of equal mean and rising variation (Underwood et al. 2018, §5.3).

The family is a constant with the observed mean, and lognormals with 100, 75, 50 and 25 % of the
fitted scale. The lognormals' shapes give them the same mean. (The most likely lognormal has another
mean.)
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from latitude._core import InputError
from latitude.distributions.cells import constant_table, table_of_distribution
from latitude.distributions.names import in_words
from latitude.distributions.specification import (
    parameters_of,
    parse_distribution,
    parse_table,
)
from latitude.distributions.table import QuantileTable
from latitude.lab.distributions.lognormal import fit_lognormal
from latitude.lab.results.fit import FamilyMember, FittedDistribution, TableFigures

SCALES = (1.0, 0.75, 0.5, 0.25)
"""Shares of the fitted scale."""
_NARROWEST, _WIDEST = 1e-9, 37.0
"""Least and largest shape: as a double, exp(s²/2) is then nearest to 1, or as large as possible."""


@dataclass(frozen=True, slots=True)
class Sibling:
    """A member of the family with its table."""

    member: FamilyMember
    table: QuantileTable


def equal_mean_family(lognormal: FittedDistribution, mean_ns: float) -> list[Sibling]:
    """The members in the order of rising variation, the constant first, with equal means."""
    shape, loc, scale = (lognormal.parameters[name] for name in ("s", "loc", "scale"))
    return family_of(*with_mean(shape, loc, scale, mean_ns))


def with_mean(shape: float, loc: float, scale: float, mean: float) -> tuple[float, float, float]:
    """Shape, location and scale of a fitted lognormal, changed so that it has this mean (ns).

    The shape changes. If the mean is at most loc + scale, no shape has this mean, and the scale
    changes instead. This happens if the fit used a selection of many samples that hardly vary.
    """
    if mean - loc > scale:
        return shape_for_mean(mean - loc, scale), loc, scale
    return shape, loc, (mean - loc) * math.exp(-shape * shape / 2)


def family_of(shape: float, loc: float, scale: float) -> list[Sibling]:
    """The family of a lognormal with these parameters; loc and scale are in ns."""
    mean = float(scipy.stats.lognorm.mean(shape, loc, scale))
    constant = f"constant({mean!r}ns)"
    found = [_sibling("constant", constant, mean, 0.0, constant_table(mean, constant))]
    for share in SCALES:
        parameters = {
            "s": shape_for_mean(mean - loc, share * scale),
            "loc": loc,
            "scale": share * scale,
        }
        frozen: Any = scipy.stats.lognorm(parameters["s"], loc, share * scale)
        words = in_words("lognorm", parameters)
        table = table_of_distribution(frozen, words)
        name = f"lognormal-{round(share * 100)}"
        found.append(_sibling(name, words, float(frozen.mean()), float(frozen.std()), table))
    return found


def lognormal_of(text: str, unit: str | None = None) -> tuple[float, float, float]:
    """Shape, location and scale (ns) of the lognormal in the text, or fitted to its samples.

    A fitted lognormal is the most likely one, changed to have the samples' mean.

    Raises:
        InputError: the location is below 0, or the latencies do not vary.
    """
    found = parse_distribution(text, unit)
    if not isinstance(found, QuantileTable) and found.dist.name == "lognorm":
        parameters = parameters_of(found)
        if parameters["loc"] < 0:
            raise InputError(
                f"{text}: its location is below 0, but latencies are not; give loc=0us"
            )
        return parameters["s"], parameters["loc"], parameters["scale"]
    values = parse_table(text, unit).values.astype(np.float64)
    if values[0] == values[-1]:
        raise InputError(
            f"'{text}' does not vary; give a lognormal, e.g. lognorm(s=1.5,loc=6us,scale=11us)"
        )
    fitted = fit_lognormal(values)
    (shape,) = fitted.shapes
    return with_mean(shape, max(fitted.loc, 0.0), fitted.scale, float(values.mean()))


def shape_for_mean(mean: float, scale: float) -> float:
    """The shape s with which a lognormal of this scale and location 0 has this mean."""
    ratio = mean / scale
    if math.log(ratio) <= _NARROWEST**2:
        return _NARROWEST

    def error(shape: float) -> float:
        return math.log(float(scipy.stats.lognorm.mean(shape))) - math.log(ratio)

    widest = min(_WIDEST, 2 * math.sqrt(2 * math.log(ratio)) + 1)
    return float(scipy.optimize.brentq(error, _NARROWEST, widest, xtol=1e-15, rtol=1e-14))


def _sibling(name: str, words: str, mean: float, sd: float, table: QuantileTable) -> Sibling:
    held = table.after
    figures = TableFigures(mean_ns=held.mean, sd_ns=held.sd, p999_ns=held.p999)
    member = FamilyMember(name=name, distribution=words, mean_ns=mean, sd_ns=sd, table=figures)
    return Sibling(member, table)
