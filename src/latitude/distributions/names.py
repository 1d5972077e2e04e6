"""SciPy's names of distributions, and other common names."""

from typing import Any

from latitude._core import InputError

ALIASES = {
    "lognormal": "lognorm",
    "normal": "norm",
    "gaussian": "norm",
    "exponential": "expon",
    "weibull": "weibull_min",
    "frechet": "invweibull",
    "gumbel": "gumbel_r",
    "loglogistic": "fisk",
    "student": "t",
    "pareto2": "lomax",
}

_TIMES = ("loc", "scale")
_NOTHING = 1e-30
"""Parameters up to this size are written as 0: no unit can express such a small time."""

CIRCULAR = frozenset({"vonmises"})
"""Distributions on a circle, whose densities SciPy repeats along the line. `fit` does not rank
these distributions."""


def continuous() -> list[str]:
    """Names of all continuous distributions of the installed SciPy, each once despite synonyms."""
    import scipy  # noqa: PLC0415 - slow to import

    found: dict[int, str] = {}
    for name in sorted(dir(scipy.stats)):
        if isinstance(distribution := getattr(scipy.stats, name), scipy.stats.rv_continuous):
            found.setdefault(id(distribution), name)
    return sorted(found.values())


def without_alias(name: str) -> str:
    """SciPy's name in place of a common one; other names in small letters."""
    return ALIASES.get(name.lower(), name.lower())


def scipy_name(name: str) -> str:
    """SciPy's name of a distribution."""
    import scipy  # noqa: PLC0415 - as above

    known = without_alias(name)
    if not isinstance(getattr(scipy.stats, known, None), scipy.stats.rv_continuous):
        raise InputError(
            f"distribution '{name}' is unknown; use a continuous distribution of SciPy, e.g. "
            "lognormal(p50=5us,p99=40us), or constant(5us), empirical:FILE, table:FILE"
        )
    return known


def scipy_distribution(name: str) -> Any:
    """SciPy's distribution of this name."""
    import scipy  # noqa: PLC0415 - as above

    return getattr(scipy.stats, scipy_name(name))


def shape_names(distribution: Any) -> list[str]:
    """Names of the distribution's shape parameters."""
    return [name.strip() for name in (distribution.shapes or "").split(",") if name.strip()]


def in_words(name: str, parameters: dict[str, float]) -> str:
    """Text for `parse_distribution`: `lognorm(s=0.5,loc=2000.0ns,scale=3000.0ns)`."""
    parts = [
        f"{key}={value if abs(value) > _NOTHING else 0.0!r}{'ns' if key in _TIMES else ''}"
        for key, value in parameters.items()
    ]
    return f"{name}({','.join(parts)})"
