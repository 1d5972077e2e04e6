"""Exchange rates, the largest part of T, and tolerance over other parameters, from a map."""

from collections.abc import Sequence

import numpy as np

from latitude._types import Floats
from latitude.model.theta import TOLERANCES
from latitude.results.map import REST, Exchange, MapAxis, Mapped, TolerancePoint, Turn

_TENTH = 0.1
_POINTS = 41
"""Points per line of tolerances."""
_STRETCHES = 2001
"""Points on an axis among which the largest share is searched."""


def exchanges(axes: Sequence[MapAxis], found: Mapped) -> list[Exchange]:
    """Amounts of each other parameter that cost as much as a tenth of each parameter."""
    rows = []
    for index, axis in enumerate(axes):
        amount = _TENTH * float(found.base[index])
        cost = amount * float(found.slope[index])
        for other, slope in zip(axes, found.slope.tolist(), strict=True):
            if other is not axis:
                rows.append(
                    Exchange(
                        label=found.label,
                        parameter=axis.name,
                        amount=amount,
                        cost_ns=cost,
                        other=other.name,
                        worth=cost / slope if slope > 0 else np.inf,
                    )
                )
    return rows


def turns(axes: Sequence[MapAxis], found: Mapped) -> list[Turn]:
    """Points at which another parameter begins to take most of T, along each axis by itself."""
    names = [*(axis.name for axis in axes), REST]
    rows = []
    for index, axis in enumerate(axes):
        points = found.line(axes, index, _STRETCHES)
        shares = found.shares(points)
        shares = np.column_stack([shares, 1 - shares.sum(axis=1)])
        largest = shares.argmax(axis=1)
        begins = np.flatnonzero(np.diff(largest, prepend=-1))
        rows += [
            Turn(
                label=found.label,
                along=axis.name,
                value=float(points[at, index]),
                largest=names[largest[at]],
                share=float(shares[at, largest[at]]),
            )
            for at in begins
        ]
    return rows


def tolerances_over(axes: Sequence[MapAxis], found: Mapped) -> list[TolerancePoint]:
    """Rise of the first parameter at which T has grown by 1, 2 or 5 %, over each other parameter.

    T lies between the planes and (1 + error) times the planes, so each rise has two bounds.
    """
    rows = []
    for index, axis in enumerate(axes[1:], 1):
        points = found.line(axes, index, _POINTS)
        for share in TOLERANCES:
            low, high = tolerance_at(found, points, share)
            rows += [
                TolerancePoint(
                    label=found.label,
                    over=axis.name,
                    value=float(value),
                    degradation=share,
                    delta_low=float(least),
                    delta_high=float(most),
                )
                for value, least, most in zip(points[:, index], low, high, strict=True)
            ]
    return rows


def tolerance_at(found: Mapped, points: Floats, share: float) -> tuple[Floats, Floats]:
    """(n,) bounds on the tolerated rise of the first parameter, at points (n, axes) of the box."""
    runtime, more = found.runtime(points), 1 + found.error
    limits = (1 + share) * runtime / more, (1 + share) * runtime * more
    low, high = (found.planes.reach(points, 0, limit) - points[:, 0] for limit in limits)
    return np.maximum(low, 0.0), high
