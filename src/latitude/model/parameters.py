"""LogGPS parameters in users' notation: texts with units, or plain numbers."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real

from latitude._core import InputError
from latitude.units.arguments import real
from latitude.units.quantities import MOST_SIZE, parse_per_byte, parse_size, parse_time


@dataclass(frozen=True, slots=True)
class Parameter:
    """The notation of a parameter."""

    parse: Callable[[str, str, str], float | int]
    example: str
    unit: str
    """Unit of plain numbers."""
    whole: bool = False
    optional: bool = False
    """Whether the parameter may be None, which means the value of another parameter."""

    def value(self, name: str, given: object) -> float | int:
        """The value in `unit`. InputError: the text or number is not valid."""
        if isinstance(given, str):
            return self.parse(given, name, self.example)
        if isinstance(given, bool) or not isinstance(given, Real):
            raise InputError(f"{name} = {given!r} is not a number; write e.g. {self.example!r}")
        value = real(given)
        if not 0 <= value < math.inf:
            raise InputError(
                f"{name} = {value:g} {self.unit}; give a finite value of 0 or more, or one with a "
                f"unit, e.g. '{self.example}'"
            )
        if not self.whole:
            return value
        count = math.floor(given)
        if count != given:
            raise InputError(
                f"{name} = {value:g} is not a whole number of {self.unit}; write e.g. "
                f"'{self.example}'"
            )
        if int(count) > MOST_SIZE:
            raise InputError(
                f"{name} = {value:g} {self.unit} is out of range; write e.g. '{self.example}'"
            )
        return int(count)


KNOWN = {
    "L": Parameter(parse_time, "3us", "ns"),
    "o": Parameter(parse_time, "5us", "ns"),
    "g": Parameter(parse_time, "0.2us", "ns"),
    "G": Parameter(parse_per_byte, "0.018ns/B or 50GB/s", "ns per byte"),
    "O": Parameter(parse_per_byte, "0.01ns/B", "ns per byte"),
    "S": Parameter(parse_size, "256KiB", "bytes", whole=True),
    "S_isend": Parameter(parse_size, "8KiB", "bytes", whole=True, optional=True),
}
PARAMETERS = tuple(KNOWN)
