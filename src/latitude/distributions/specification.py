"""Distributions in words: `lognormal(p50=5us,p99=40us)`, `constant(5us)`, `empirical:FILE`."""

import math
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from latitude._core import InputError
from latitude.distributions.cells import constant_table, table_of_distribution, table_of_samples
from latitude.distributions.closed import distribution_named
from latitude.distributions.names import in_words, scipy_distribution, shape_names
from latitude.distributions.netem import read_netem
from latitude.distributions.solve import Wanted, solve
from latitude.distributions.table import TABLE_SUFFIX, QuantileTable, read_table
from latitude.units.quantities import parse_time

_TIME = re.compile(r"\s*-?\.?\d")
_CALL = re.compile(r"\s*([A-Za-z]\w*)\s*\((.*)\)\s*", re.DOTALL)
_FILE = re.compile(r"\s*(empirical|table|netem):(.+?)\s*", re.DOTALL)
_WITH_ARGUMENTS = re.compile(r"(.+?)\((mean=[^()]*|sd=[^()]*)\)", re.DOTALL)
_PERCENTILE = re.compile(r"p(\d{1,2}(?:\.\d+)?)")
_EXAMPLE = "lognormal(p50=5us,p99=40us)"


def parse_distribution(text: str, unit: str | None = None, size: int | None = None) -> Any:
    """A frozen SciPy distribution in ns, or a `QuantileTable`.

    Args:
        text: a file, a time (constant), a distribution or a prefixed source. A file is a table if
            its name ends in .dist; other files, and stores, hold samples. A distribution is
            `NAME(PARAMETER=VALUE,…)` with SciPy's parameters (loc and scale are times), moments
            (`mean=`, `sd=`) or percentiles (`p50=`, `p99.9=`). Further forms are `constant(TIME)`,
            `empirical:FILE` (samples), `table:FILE` and `netem:FILE(mean=TIME,sd=TIME)`.
        unit: unit of files that do not state one.
        size: bytes of the messages whose samples count, if a file has several sizes.

    Raises:
        InputError: the text has no valid form, or no such distribution exists.
    """
    return _parsed(text, unit, size, scipy_distribution)


def parse_table(text: str, unit: str | None = None, size: int | None = None) -> QuantileTable:
    """Parses the same texts as `parse_distribution`, into a table."""
    found = _parsed(text, unit, size, distribution_named)
    return found if isinstance(found, QuantileTable) else table_of_distribution(found, text.strip())


def _parsed(
    text: str, unit: str | None, size: int | None, distribution_of: Callable[[str], Any]
) -> Any:
    if match := _FILE.fullmatch(text):
        return _of_file(match[1], match[2], unit, size)
    path = Path(text)
    if text.strip() and os.path.exists(text):  # noqa: PTH110 - Path's raises for very long words
        kind = "table" if path.suffix == TABLE_SUFFIX else "empirical"
        return _of_file(kind, text, unit, size)
    if size is not None:
        raise InputError(
            f"--size: '{text}' is not a file of samples, so it has no sizes; leave out --size"
        )
    if path.suffix == TABLE_SUFFIX:
        raise InputError(f"{path}: no such file; write one with `latitude fit`, or give a time")
    if _TIME.match(text):
        return constant_table(parse_time(text, "latency", "20us"), text.strip())
    match = _CALL.fullmatch(text)
    if match is None:
        raise InputError(
            f"distribution: '{text}' is neither a file nor a time nor NAME(PARAMETER=VALUE,…); "
            "write "
            f"e.g. 5us, {_EXAMPLE}, or the name of a table, or of a file or store of samples"
        )
    name, inside = match[1], match[2].strip()
    if name.lower() == "constant":
        return constant_table(parse_time(inside, "constant", "constant(5us)"), text.strip())
    distribution = distribution_of(name)
    given, wanted = _arguments(text, name, inside, shape_names(distribution))
    parameters = solve(distribution, text.strip(), given, wanted)
    shapes = [parameters[key] for key in shape_names(distribution)]
    frozen = distribution(*shapes, loc=parameters["loc"], scale=parameters["scale"])
    if math.isnan(float(frozen.median())):
        raise InputError(f"{text.strip()}: {distribution.name} does not allow these parameters")
    return frozen


def parameters_of(frozen: Any) -> dict[str, float]:
    """Parameters of a frozen distribution, with their names as keys."""
    shapes, loc, scale = frozen.dist._parse_args(*frozen.args, **frozen.kwds)  # noqa: SLF001
    names = [*shape_names(frozen.dist), "loc", "scale"]
    return {name: float(value) for name, value in zip(names, (*shapes, loc, scale), strict=True)}


def describe(frozen: Any) -> str:
    """A frozen distribution in the words that `parse_distribution` reads."""
    return in_words(frozen.dist.name, parameters_of(frozen))


def _of_file(kind: str, rest: str, unit: str | None, size: int | None) -> QuantileTable:
    if size is not None and kind != "empirical":
        raise InputError(f"--size: {rest} is a table, so it has no sizes; leave out --size")
    if kind == "table":
        return read_table(rest, unit)
    if kind == "netem":
        match = _WITH_ARGUMENTS.fullmatch(rest)
        if match is None:
            raise InputError(
                f"netem:{rest}: netem tables have neither mean nor sd; give them: "
                f"netem:{rest}(mean=5us,sd=1us)"
            )
        values = _pairs(f"netem:{rest}", match[2])
        if set(values) != {"mean", "sd"}:
            raise InputError(f"netem:{rest}: give mean= and sd=, and nothing else")
        times = {key: parse_time(value, key, "5us") for key, value in values.items()}
        return read_netem(Path(match[1]), times["mean"], times["sd"])
    return empirical_table(rest, unit, size)


def empirical_table(path: str, unit: str | None = None, size: int | None = None) -> QuantileTable:
    """The table of all samples of one message size, in a file or a store of any length.

    InputError: as for reading, or the samples are of several sizes and `size` chooses none.

    For more than 8 million samples the table comes from a sketch's cells, whose means are exact.
    """
    from latitude.samples.groups import SampleGroup  # noqa: PLC0415 - pandas is slow to import
    from latitude.samples.sizes import of_one_size  # noqa: PLC0415 - as above

    group = SampleGroup(path)
    for piece in of_one_size(Path(path), unit=unit, size=size):
        group.add(piece)
    values, counts = group.cells()
    return table_of_samples(values, f"empirical:{path}", counts)


def _pairs(label: str, inside: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for part in filter(None, (each.strip() for each in inside.split(","))):
        key, sign, value = (each.strip() for each in part.partition("="))
        if not sign or not value:
            raise InputError(f"{label}: '{part}' is not PARAMETER=VALUE; write e.g. {_EXAMPLE}")
        if key in values:
            raise InputError(f"{label}: {key} is given twice")
        values[key] = value
    return values


def _arguments(
    text: str, name: str, inside: str, shapes: list[str]
) -> tuple[dict[str, float], list[Wanted]]:
    given: dict[str, float] = {}
    wanted: list[Wanted] = []
    for key, value in _pairs(text.strip(), inside).items():
        if key in shapes:
            given[key] = _number(f"{name}: {key}", value)
        elif key == "loc" and value.startswith("-"):
            given[key] = -parse_time(value[1:], f"{name}: {key}")
        elif key in ("loc", "scale"):
            given[key] = parse_time(value, f"{name}: {key}")
        elif key in ("mean", "sd") or _percentile(key):
            wanted.append(Wanted(key, parse_time(value, f"{name}: {key}")))
        else:
            known = ", ".join([*shapes, "loc", "scale", "mean", "sd", "p50", "p99.9"])
            raise InputError(
                f"{name}: '{key}' is not a parameter of this distribution; use {known}"
            )
    return given, wanted


def _percentile(key: str) -> bool:
    match = _PERCENTILE.fullmatch(key)
    return match is not None and 0 < float(match[1]) < 100  # noqa: PLR2004 - percent


def _number(what: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError as error:
        raise InputError(f"{what}: '{text}' is not a number; write e.g. 0.5") from error
    if not math.isfinite(value):
        raise InputError(f"{what}: '{text}' is not a number; write e.g. 0.5")
    return value
