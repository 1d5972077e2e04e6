"""Quantities with units: parsed from texts that people type, and formatted for people.

Inside the package times are nanoseconds, sizes bytes, costs per byte nanoseconds per byte.
"""

import math
import re
from fractions import Fraction

from latitude._core import InputError

UNITS = ("ns", "us", "ms", "s")
"""Units of times in options."""

_TIME = {"ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9}
_SIZE = {
    "B": 1,
    "kB": 10**3,  # "KB" is rejected: some mean 1,000, some 1,024
    "KiB": 2**10,
    "MB": 10**6,
    "MiB": 2**20,
    "GB": 10**9,
    "GiB": 2**30,
}
# Bits and bytes per second, in units of one byte per second.
_RATE = {"B/s": Fraction(1), "bit/s": Fraction(1, 8), "b/s": Fraction(1, 8)}
_PREFIX = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY_PREFIX = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}

MOST = 2**31 - 1
"""Largest count, because MPI's own counts are int."""

_MOST_DIGITS = 30
"""Largest number of digits of a number, and largest exponent: absurd numbers take no memory."""
MOST_NS = 10**18
"""Largest time, ns (30 years); a double resolves such times to 128 ns."""
MOST_SIZE = 2**62
_WHOLE = re.compile(r"\d{1,30}|\d{1,3}(?:,\d{3}){1,9}", re.ASCII)
_QUANTITY = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*?)\s*")


def _split(text: str, what: str, example: str) -> tuple[Fraction, str]:
    """Number and unit of `text`; exact, so that 0.1us is 100 ns without rounding."""
    match = _QUANTITY.fullmatch(text)
    if match is None:
        raise InputError(f"{what}: '{text}' is not a number with a unit; write e.g. {example}")
    number, unit = match.groups()
    value = _exact(number, what, example)
    if value < 0:
        raise InputError(f"{what}: '{text}' is negative; write e.g. {example}")
    if not unit and value != 0:
        raise InputError(f"{what}: '{text}' has no unit; write e.g. {example}")
    return value, unit


def _exact(number: str, what: str, example: str) -> Fraction:
    """The decimal as a fraction."""
    _, _, exponent = number.lower().partition("e")
    if len(number) > _MOST_DIGITS or (exponent and abs(int(exponent)) > _MOST_DIGITS):
        raise InputError(f"{what}: '{number}' is out of range; write e.g. {example}")
    return Fraction(number)


def _unknown(unit: str, what: str, known: str, example: str) -> InputError:
    return InputError(f"{what}: unknown unit '{unit}'; use {known}, e.g. {example}")


def parse_time(text: str, what: str = "time", example: str = "3us") -> float:
    """A duration in ns: `3us`, `100ns`, `1.5 ms`, `0`."""
    value, unit = _split(text, what, example)
    if not unit:
        return 0.0
    if unit not in _TIME:
        raise _unknown(unit, what, "ns, us, ms or s", example)
    ns = value * _TIME[unit]
    if ns > MOST_NS:
        raise InputError(f"{what}: '{text}' is out of range; write e.g. {example}")
    return float(ns)


def parse_size(text: str, what: str = "size", example: str = "256KiB") -> int:
    """A size in whole bytes: `256KiB`, `8 MB`, `64B`."""
    value, unit = _split(text, what, example)
    if not unit:
        return 0
    if unit not in _SIZE:
        raise _unknown(unit, what, "B, KiB, MiB, GiB, kB, MB or GB", example)
    size = value * _SIZE[unit]
    if size.denominator != 1:
        raise InputError(f"{what}: '{text}' is not a whole number of bytes; write e.g. {example}")
    if size > MOST_SIZE:
        raise InputError(f"{what}: '{text}' is out of range; write e.g. {example}")
    return int(size)


def parse_per_byte(text: str, what: str = "cost per byte", example: str = "0.018ns/B") -> float:
    """A cost in ns per byte: `0.018ns`, `0.018ns/B`, or as a bandwidth `50GB/s`, `400Gbit/s`."""
    value, unit = _split(text, what, example)
    if not unit:
        return 0.0
    time_unit = unit.removesuffix("/byte").removesuffix("/B")
    if time_unit in _TIME:
        return float(value * _TIME[time_unit])
    rate = _rate(unit)
    if rate is None:
        raise _unknown(unit, what, "ns/B, or a bandwidth in GB/s or Gbit/s", example)
    if value == 0:
        raise InputError(f"{what}: a bandwidth of 0 never delivers; write e.g. 50GB/s")
    return float(Fraction(10**9) / (value * rate))


def _rate(unit: str) -> Fraction | None:
    """Bytes per second in one `unit`, or None if the unit is not a bandwidth."""
    for base, scale in _RATE.items():
        if unit.endswith(base):
            prefix = unit.removesuffix(base)
            factor = _PREFIX.get(prefix, _BINARY_PREFIX.get(prefix))
            if factor is not None:
                return scale * factor
    return None


def parse_whole(text: str, what: str, least: int = 0, most: int = MOST) -> int:
    """A whole number, `12` or `1,000`, of `what`: "a number of nodes", "a seed"."""
    value = int(text.replace(",", "")) if _WHOLE.fullmatch(text.strip()) else -1
    if not least <= value <= most:
        to = f" to {most:,}" if value > most else ""
        raise InputError(f"'{text}' is not {what}; write a whole number from {least}{to}")
    return value


def parse_number(text: str, what: str, least: float = -math.inf, most: float = math.inf) -> float:
    """A finite number without a unit: `0.5`, a factor, a correlation."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and least <= value <= most):
        low = f" from {least:g}" if least > -math.inf else ""
        high = f" to {most:g}" if most < math.inf else ""
        raise InputError(f"'{text}' is not {what}; write a number{low}{high}, e.g. 0.5")
    return value


def parse_interval(
    text: str, what: str = "interval", example: str = "3us:103us"
) -> tuple[float, float]:
    """An interval of times in ns: `3us:103us`."""
    low, colon, high = text.partition(":")
    if not colon:
        raise InputError(f"{what}: '{text}' is not an interval; write e.g. {example}")
    ends = parse_time(low, what, example), parse_time(high, what, example)
    if not ends[0] < ends[1]:
        raise InputError(
            f"{what}: '{text}' is empty; the first end must be smaller, e.g. {example}"
        )
    return ends


def parse_fraction(text: str, what: str = "fraction", example: str = "0.05 or 5%") -> float:
    """A positive share: `0.05` or `5%`."""
    number = text.strip()
    percent = number.endswith("%")
    match = _QUANTITY.fullmatch(number.removesuffix("%"))
    if match is None or match.group(2):
        raise InputError(f"{what}: '{text}' is not a share; write e.g. {example}")
    value = _exact(match.group(1), what, example)
    share = float(value / 100 if percent else value)
    if not share > 0:
        raise InputError(f"{what}: '{text}' is not positive; write e.g. {example}")
    return share


def _digits(value: float, significant: int) -> str:
    """`value` with this many significant digits, without exponent or trailing zeros."""
    if value == 0:
        return "0"
    text = f"{value:.{significant}g}"
    if "e" in text:
        text = f"{float(text):.0f}" if abs(value) >= 1 else f"{float(text):.12f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def format_time(ns: float, significant: int = 4) -> str:
    """A duration for people, in a suitable unit: 12.3 µs, 71.84 ms."""
    size = float(f"{abs(ns):.{significant}g}")  # so that 999.96 ns reads 1 µs, not 1000 ns
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if size >= scale:
            return f"{_digits(ns / scale, significant)} {unit}"
    return f"{_digits(ns, significant)} ns"


def signed(ns: float, significant: int = 4, plus: str = "+") -> str:
    """A difference of times: +1.2 µs, −30 ns."""
    return f"{'−' if ns < 0 else plus}{format_time(abs(ns), significant)}"


def format_size(size: int) -> str:
    """A size for people: 256 KiB, 64 B."""
    for unit in ("GiB", "MiB", "KiB"):
        if size >= _SIZE[unit]:
            return f"{_digits(size / _SIZE[unit], 4)} {unit}"
    return f"{size:,} B"


def format_per_byte(ns: float) -> str:
    """A cost per byte for people, with the equivalent bandwidth: 0.018 ns/B (55.56 GB/s)."""
    if ns == 0:
        return "0 ns/B (unlimited bandwidth)"
    return f"{_digits(ns, 4)} ns/B ({_digits(1 / ns, 4)} GB/s)"


def format_rate(bytes_per_s: float) -> str:
    """A bandwidth for people: 12.5 GB/s."""
    for unit, scale in (("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3)):
        if bytes_per_s >= scale:
            return f"{bytes_per_s / scale:.4g} {unit}"
    return f"{bytes_per_s:.4g} B/s"


_LEAST_SHARE = 1e-7
"""Least share with digits that are worth reading."""


def format_share(share: float) -> str:
    """A share for people: 5%, 0.13%, under 0.00001%."""
    if 0 < share < _LEAST_SHARE:
        return f"under {format_share(_LEAST_SHARE)}"
    return f"{_digits(share * 100, 3)}%"


def format_change(share: float) -> str:
    """A relative change: +5.2%, −0.3%."""
    if 0 < abs(share) < _LEAST_SHARE:
        return f"under ±{format_share(_LEAST_SHARE)}"
    return f"{'−' if share < 0 else '+'}{format_share(abs(share))}"


def counted(count: int, noun: str) -> str:
    """A count with its noun: 1 message, 2,703 messages."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def format_factor(factor: float) -> str:
    """A factor with two significant digits: 1.5, 19, 7,900."""
    return f"{float(f'{factor:.2g}'):,.0f}" if factor >= _NO_FRACTION else _digits(factor, 2)


def format_count(count: float) -> str:
    """A count for people, such as 12,345; it may have a fraction if paths tie."""
    return f"{count:,.0f}" if float(count).is_integer() else f"{count:,.2f}"


_NO_FRACTION = 9.95
"""Factors from this value on have two digits before the point."""
SIMULATED = 5e-4, 0.99
"""The least and the largest p-value that simulated null distributions can show."""
_FEW_DIGITS = 1e-3


def format_p(p: float, *, simulated: bool = False) -> str:
    """A p-value, such as 0.03 or 4.2e-11, with `≤` and `≥` at the ends of the simulated range."""
    least, largest = SIMULATED
    if simulated and p <= least:
        return f"≤ {least:g}"
    if simulated and p == largest:
        return f"≥ {largest:g}"
    if p == 0:
        return "< 1e-307"
    return f"{p:.1e}" if p < _FEW_DIGITS else f"{p:.3f}"


def format_log10_p(log10_p: float) -> str:
    """A p-value from its logarithm, however small: 7.89e-33."""
    exponent = math.floor(log10_p)
    if exponent >= math.log10(_FEW_DIGITS):
        return f"{10**log10_p:.3f}"
    return f"{10 ** (log10_p - exponent):.2f}e{exponent}"
