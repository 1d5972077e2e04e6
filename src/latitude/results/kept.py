"""What an analysis.json says, as far as others are held against it.

An analysis that was just made is read the same way, from what it would write.
"""

import math
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from latitude._core import InputError
from latitude._types import Count
from latitude.files.reading import DAMAGED, parsing, read_bytes
from latitude.notices.notice import Notice
from latitude.results.analysis import Analysis
from latitude.results.waits import ACTIVITIES, CAUSES

_MOST = 1 << 28
"""Bytes of a file."""

_Ns = Annotated[float, Meta(ge=0, le=1e30)]
_Amount = _Ns
_OnPath = Annotated[float, Meta(ge=-1e30, le=1e30)]
"""Parts of steps on the critical path are differences of sums, and may round to below 0."""


class KeptProvenance(msgspec.Struct, frozen=True):
    """Where the analysis came from."""

    input: str
    input_sha256: str
    program: str | None = None


class KeptTheta(msgspec.Struct, frozen=True):
    """What was varied."""

    name: str
    meaning: str
    unit: Literal["ns", "ns/B"]
    base: _Amount


class KeptBaseline(msgspec.Struct, frozen=True):
    """The program on its network."""

    L_ns: _Ns
    T_ns: _Ns
    lambda_L: _Amount
    rho_L: _Amount


class KeptTolerance(msgspec.Struct, frozen=True):
    """θ within a limit: None is without end."""

    degradation: _OnPath | None
    delta: _OnPath | None = None
    delta_L_ns: _OnPath | None = None

    @property
    def extra(self) -> float:
        """How far θ may go beyond its baseline, by whichever name it stands."""
        delta = self.delta_L_ns if self.delta is None else self.delta
        return math.inf if delta is None else delta


class KeptTrace(msgspec.Struct, frozen=True):
    """The program."""

    ranks: Annotated[int, Meta(ge=1)]


class KeptStay(msgspec.Struct, frozen=True):
    """A rank."""

    rank: Count
    path_ns: _OnPath


class KeptCall(msgspec.Struct, frozen=True):
    """What a call has on the critical path."""

    call: str
    calc_ns: _OnPath
    overhead_ns: _OnPath
    network_ns: _OnPath
    lambda_L: _Amount


class KeptSite(msgspec.Struct, frozen=True):
    """What a line of the program has on the critical path."""

    where: str
    function: str | None
    line: int | None
    calls: Annotated[dict[str, int], Meta(min_length=1)]
    before_ns: _OnPath
    calc_ns: _OnPath
    overhead_ns: _OnPath
    network_ns: _OnPath
    lambda_L: _Amount


class KeptTime(msgspec.Struct, frozen=True):
    """A part of a rank's time."""

    rank: Count
    call: str | None
    where: str | None
    what: str
    ns: _Ns


class KeptWaits(msgspec.Struct, frozen=True):
    """Where all time goes."""

    times: list[KeptTime]


class KeptAnalysis(msgspec.Struct, frozen=True):
    """An analysis."""

    schema: str
    provenance: KeptProvenance
    trace: KeptTrace
    model: dict[str, Any]
    """What was assumed, by name."""
    theta: KeptTheta
    baseline: KeptBaseline
    tolerance: list[KeptTolerance]
    by_rank: list[KeptStay]
    by_call: list[KeptCall]
    by_call_site: list[KeptSite]
    waits: KeptWaits | None
    """None where the analysis has left them out."""
    warnings: list[Notice]

    @property
    def times(self) -> list[KeptTime]:
        """Where all time goes. InputError where the analysis has left that out."""
        if self.waits is None:
            raise InputError(
                f"{self.provenance.input}: this result has no waits; analyse the run without "
                "--without waits"
            )
        return self.waits.times


_Kind = TypeVar("_Kind", bound=KeptAnalysis)


class _Other(msgspec.Struct, frozen=True):
    """Any JSON that is an object."""

    schema: str | None = None


def kept(analysis: Analysis) -> KeptAnalysis:
    """What an analysis writes."""
    return kept_as(KeptAnalysis, analysis)


def kept_as(kind: type[_Kind], analysis: Analysis) -> _Kind:
    """The same with more of it."""
    return msgspec.convert(analysis.to_dict(), kind)


def is_kept(path: Path) -> bool:
    """Whether an input is a result rather than a trace: analysis.json, or a directory with it."""
    return path.suffix == ".json" or (path.is_dir() and (path / "analysis.json").is_file())


def read_kept(path: Path) -> KeptAnalysis:
    """Reads what `latitude analyze` wrote: analysis.json, or the directory of -o.

    InputError when it is no analysis, or one of a version that says too little.
    """
    return read_as(KeptAnalysis, path)


def read_as(kind: type[_Kind], path: Path) -> _Kind:
    """The same with more of it."""
    file = path / "analysis.json" if path.is_dir() else path
    content = read_bytes(file, _MOST)
    other = (
        f"not a result of latitude analyze ({Analysis.SCHEMA}); give a trace, a GOAL file, or what "
        "latitude analyze --json wrote"
    )
    with parsing(str(file), other):
        schema = msgspec.json.decode(content, type=_Other).schema
    if schema != Analysis.SCHEMA:
        raise InputError(f"{file}: {other}")
    with parsing(
        str(file), "not a result of latitude analyze as this version writes it; make it anew"
    ):
        found = msgspec.json.decode(content, type=kind)
    ranks = [stay.rank for stay in found.by_rank]
    if ranks != list(range(len(ranks))) or found.trace.ranks != len(ranks):
        raise InputError(f"{file}: by_rank has not one row for each rank; {DAMAGED}")
    known = ACTIVITIES.keys() | CAUSES.keys()
    times = [] if found.waits is None else found.waits.times
    if any(row.rank >= len(ranks) or row.what not in known for row in times):
        raise InputError(f"{file}: times of no rank or of no known kind; {DAMAGED}")
    return found
