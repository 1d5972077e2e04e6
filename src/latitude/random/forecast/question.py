"""Questions about the distribution."""

from dataclasses import dataclass

from latitude._core import InputError

SAMPLES = 1000
MOST = 10_000_000
"""Largest number of samples of a forecast, which keeps all samples in memory."""
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)


@dataclass(frozen=True, slots=True)
class Question:
    """The number of samples, and the questions about their distribution."""

    samples: int | None = None
    """Number of samples; by default 1,000, or as many as `precision` needs."""
    precision: float | None = None
    """Half width of the interval of `quantile`, as a share of the quantile, at which drawing ends.
    """
    quantile: float = 0.95
    most: int = 1_000_000
    """Largest number of samples, at which drawing ends even without the precision."""
    tolerance: tuple[float, ...] = ()
    """Degradations for which to find the tolerated distribution."""
    probability: float = 0.95
    """Probability with which T must stay below the limit."""

    def __post_init__(self) -> None:
        for name, value in (("quantile", self.quantile), ("probability", self.probability)):
            if not 0 < value < 1:
                raise InputError(f"{name}: {value:g} is not between 0 and 1; give e.g. 0.95 or 95%")
        if self.samples is not None and self.samples < 1:
            raise InputError("samples: at least 1 is needed")
        if self.samples is not None and self.samples > MOST:
            raise InputError(f"samples: {self.samples:,} are too many; give at most {MOST:,}")
        if self.samples is not None and self.precision is not None:
            raise InputError("samples and precision exclude each other: give one of them")
        if self.precision is not None and not self.precision > 0:
            raise InputError(f"precision: {self.precision:g} is not positive; give e.g. 0.01 or 1%")
