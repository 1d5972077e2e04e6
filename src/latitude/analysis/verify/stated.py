"""What an analysis.json states, as far as it is verified."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from latitude._core import InputError
from latitude.files.provenance import Provenance
from latitude.results.analysis import (
    Breakpoints,
    Critical,
    Curve,
    Interval,
    Tangents,
    Tolerance,
)
from latitude.results.declared import own_keys
from latitude.results.efficiency import EfficiencyCurve, Threshold
from latitude.results.kept import KeptAnalysis, read_as

_Finite = Annotated[float, Meta(ge=-1e30, le=1e30)]
_Length = Annotated[int, Meta(ge=0, le=1 << 62)]

_OWN_KEYS = own_keys(
    Interval, Tolerance, Curve, Breakpoints, Critical, Tangents, EfficiencyCurve, Threshold
)
"""Keys of functions of L, and what they are of any other parameter."""


class StatedGraph(msgspec.Struct, frozen=True):
    """Sizes."""

    vertices: _Length
    edges: _Length
    messages: _Length
    bytes: _Length


class StatedBaseline(msgspec.Struct, frozen=True):
    """The program on the network as it is."""

    L_ns: _Finite
    T_ns: _Finite
    lambda_L: _Finite
    lambda_L_left: _Finite
    lambda_L_right: _Finite
    rho_L: _Finite
    lambda_G: _Finite
    lambda_o: _Finite
    calc_ns: _Finite
    overhead_ns: _Finite
    latency_ns: _Finite
    bandwidth_ns: _Finite


class StatedTheta(msgspec.Struct, frozen=True):
    """What was varied."""

    name: str
    meaning: str
    unit: str
    base: _Finite
    slope: _Finite = msgspec.field(name="lambda")
    slope_left: _Finite = msgspec.field(name="lambda_left")
    slope_right: _Finite = msgspec.field(name="lambda_right")
    share: _Finite = msgspec.field(name="rho")


class StatedInterval(msgspec.Struct, frozen=True):
    """Values of θ."""

    low: _Finite
    high: _Finite


class StatedTolerance(msgspec.Struct, frozen=True):
    """θ within a limit; None is infinite."""

    degradation: _Finite | None
    T_limit_ns: _Finite
    value: _Finite | None
    delta: _Finite | None


class StatedCurve(msgspec.Struct, frozen=True):
    """T at many values of θ."""

    value: list[_Finite]
    T_ns: list[_Finite]
    slope: list[_Finite] = msgspec.field(name="lambda")
    share: list[_Finite] = msgspec.field(name="rho")

    def __post_init__(self) -> None:
        """ValueError where columns have different lengths."""
        if len({len(each) for each in (self.value, self.T_ns, self.slope, self.share)}) > 1:
            raise ValueError("the columns of its curve differ in length")


class StatedBreakpoint(msgspec.Struct, frozen=True):
    """Where the slope changes."""

    value: _Finite
    T_ns: _Finite
    lambda_left: _Finite
    lambda_right: _Finite


class StatedTangent(msgspec.Struct, frozen=True):
    """A point of T and a slope there."""

    value: _Finite
    T_ns: _Finite
    slope: _Finite = msgspec.field(name="lambda")


class StatedCritical(msgspec.Struct, frozen=True):
    """How far the list of breakpoints goes, and T beyond it."""

    complete: bool
    listed: _Length
    until: _Finite
    bound: _Finite
    beyond: list[StatedTangent]


class StatedFractions(msgspec.Struct, frozen=True):
    """Efficiencies."""

    parallel: _Finite
    load_balance: _Finite
    communication: _Finite
    serialisation: _Finite
    transfer: _Finite
    T_ns: _Finite
    T_ideal_ns: _Finite
    useful_mean_ns: _Finite
    useful_max_ns: _Finite


class StatedShares(msgspec.Struct, frozen=True):
    """Efficiencies at a value of θ."""

    value: _Finite
    parallel: _Finite
    communication: _Finite
    transfer: _Finite


class StatedThreshold(msgspec.Struct, frozen=True):
    """Up to which θ an efficiency is at least so much; None is any θ, or none."""

    efficiency: str
    least: _Finite
    reached: bool
    value: _Finite | None
    delta: _Finite | None


class StatedEfficiency(msgspec.Struct, frozen=True):
    """Where processors' time goes."""

    processors: _Length
    predicted: StatedFractions
    curve: list[StatedShares]
    thresholds: list[StatedThreshold]


class StatedFunctions(msgspec.Struct, frozen=True):
    """What depends on θ, under the same keys whatever θ is."""

    interval: StatedInterval
    tolerance: list[StatedTolerance]
    curve: StatedCurve
    breakpoints: list[StatedBreakpoint]
    critical: StatedCritical
    efficiency: StatedEfficiency


class _Whole(KeptAnalysis, frozen=True, kw_only=True):
    """The file: functions of θ as they are."""

    provenance: Provenance  # type: ignore[assignment]  # all of it
    graph: StatedGraph
    theta: StatedTheta  # type: ignore[assignment]
    baseline: StatedBaseline  # type: ignore[assignment]
    tolerance: Any
    interval: Any
    curve: Any
    breakpoints: Any
    critical: Any
    efficiency: Any


class Stated(msgspec.Struct, frozen=True):
    """A result."""

    provenance: Provenance
    model: dict[str, Any]
    ranks: int
    graph: StatedGraph
    baseline: StatedBaseline
    theta: StatedTheta
    of_theta: StatedFunctions


def read_stated(path: Path) -> Stated:
    """Reads what `latitude analyze` wrote: analysis.json, or the directory of -o.

    InputError when it is no such result, or one of a version that says too little.
    """
    found = read_as(_Whole, path)
    names = StatedFunctions.__struct_fields__
    functions = {name: getattr(found, name) for name in names}
    if found.theta.name == "L":
        functions = _renamed(functions)
    try:
        of_theta = msgspec.convert(functions, StatedFunctions)
    except (msgspec.ValidationError, ValueError) as error:
        raise InputError(
            f"{path}: not a result of latitude analyze as this version writes it; make it anew "
            f"({error})"
        ) from error
    return Stated(
        provenance=found.provenance,
        model=found.model,
        ranks=found.trace.ranks,
        graph=found.graph,
        baseline=found.baseline,
        theta=found.theta,
        of_theta=of_theta,
    )


def _renamed(value: Any) -> Any:
    """With the keys that functions of other parameters have."""
    if isinstance(value, dict):
        return {_OWN_KEYS.get(key, key): _renamed(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_renamed(each) for each in value]
    return value
