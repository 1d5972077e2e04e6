"""`latitude explain`: three sentences about a result, for a merge request's comment."""

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from latitude._core import InputError
from latitude.cli.outputs import Outputs, ResultOptions
from latitude.files.reading import parsing, read_bytes
from latitude.notices.saying import visible
from latitude.units.options import argument
from latitude.units.quantities import (
    counted,
    format_per_byte,
    format_share,
    format_time,
)

_MOST = 1 << 28
"""Bytes of a file."""
_NAMES = ("analysis.json", "streamed.json")
_SCHEMAS = ("latitude.analysis/1", "latitude.streamed/1")
_LISTED = 3
_Amount = Annotated[float, Meta(ge=0, le=1e30)]


class _Theta(msgspec.Struct):
    name: str
    meaning: str
    unit: str
    base: _Amount

    def text(self, value: float) -> str:
        return format_per_byte(value) if self.unit == "ns/B" else format_time(value)


class _Tolerance(msgspec.Struct):
    degradation: _Amount
    delta_L_ns: _Amount | None = None
    delta: _Amount | None = None

    @property
    def extra(self) -> float | None:
        return self.delta_L_ns if self.delta is None else self.delta


class _Row(msgspec.Struct):
    lambda_L: _Amount
    call: str = ""
    where: str = ""
    function: str | None = None

    def __str__(self) -> str:
        if not self.where:
            return self.call
        return self.where if self.function is None else f"{self.where} ({self.function})"


class _Intervals(msgspec.Struct):
    confidence: _Amount
    not_known: list[str]


class _Model(msgspec.Struct):
    defaults: list[str]


class _Trace(msgspec.Struct):
    ranks: Annotated[int, Meta(ge=1)]


class _Explained(msgspec.Struct):
    """What the sentences are made of; analyses in memory and streamed ones both have it."""

    schema: str
    trace: _Trace
    model: _Model
    theta: _Theta
    tolerance: list[_Tolerance]
    by_call: list[_Row]
    by_call_site: list[_Row]
    intervals: _Intervals | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The sentences, plain text."""

    tolerance: str
    """How much of θ the program tolerates."""
    sensitivity: str
    """Which call or line most latencies of the critical path belong to."""
    trust: str
    """How sure the numbers are, or what makes them surer."""


@dataclass(kw_only=True)
class ExplainOptions(ResultOptions):
    """A result."""

    result: Path = argument(
        "what `latitude analyze` wrote: analysis.json, streamed.json, or their directory",
        "RESULT",
        Path,
    )


class ExplainCommand:
    """The answer in words."""

    description = """\
Says in three sentences what matters of a result of `latitude analyze`: how much latency the program
tolerates, which call or line most of its sensitivity comes from, and how sure that is."""
    example = "latitude explain result"
    options = ExplainOptions

    def run(self, arguments: ExplainOptions) -> None:
        outputs = Outputs.of(arguments)
        found = explained(_read(arguments.result))
        outputs.write_json(lambda: json.dumps(asdict(found), indent=2, ensure_ascii=False) + "\n")
        if not outputs.uses_stdout():
            for sentence in asdict(found).values():
                sys.stdout.write(visible(sentence) + "\n")


def explained(result: _Explained) -> Explanation:
    """The three sentences about a result."""
    return Explanation(_tolerance(result), _sensitivity(result), _trust(result))


def _read(path: Path) -> _Explained:
    """InputError: it is not a result of `latitude analyze`."""
    file = path
    if path.is_dir():
        file = next((path / name for name in _NAMES if (path / name).is_file()), path / _NAMES[0])
    content = read_bytes(file, _MOST)
    other = "not a result of latitude analyze; give what its -o or --json wrote"
    with parsing(str(file), other):
        found = msgspec.json.decode(content, type=_Explained)
    if found.schema not in _SCHEMAS:
        raise InputError(f"{file}: {other}")
    return found


def _tolerance(result: _Explained) -> str:
    theta = result.theta
    program = f"The program ({counted(result.trace.ranks, 'rank')})"
    found = sorted(result.tolerance, key=lambda each: each.degradation)[:_LISTED]
    if not found:
        return f"{program} was analysed without a tolerance; analyse it with --tolerance 1%."
    more = [
        f"{format_share(each.degradation)} slower with {theta.text(each.extra)} more"
        for each in found
        if each.extra is not None
    ]
    never = [
        f"never {format_share(each.degradation)} slower" for each in found if each.extra is None
    ]
    return (
        f"{program}, at {theta.meaning} {theta.name} = {theta.text(theta.base)}, runs "
        f"{', '.join([*more, *never[:1]])}."
    )


def _sensitivity(result: _Explained) -> str:
    rows = result.by_call_site or result.by_call
    total = sum(row.lambda_L for row in rows)
    if total <= 0:
        return "No message's latency is on the critical path: a little more latency costs nothing."
    first = max(rows, key=lambda row: row.lambda_L)
    return (
        f"{format_share(first.lambda_L / total)} of the message latencies on the critical path "
        f"belong to {first}: start there."
    )


def _trust(result: _Explained) -> str:
    if result.model.defaults:
        names = ", ".join(result.model.defaults)
        return (
            f"The numbers are for the default {names}, not for your network: measure yours once "
            "with `latitude measure loggps`, then `latitude network use cluster.toml`."
        )
    if result.intervals is None:
        return "The numbers are exact for this trace and network; one trace shows no variation."
    unknown = "; ".join(result.intervals.not_known)
    if not unknown:
        return (
            f"The result states {format_share(result.intervals.confidence)} intervals of all "
            "numbers, by how the network was measured."
        )
    return f"The numbers are exact for this trace and network; not known: {unknown}."
