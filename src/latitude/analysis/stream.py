"""T, λ, tolerances and the curve of a streamed trace, in few passes."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from latitude import _core
from latitude._core import InputError
from latitude.analysis.answer import Listed, first_only, limits_of, listed_of, question
from latitude.analysis.checkpoint import Checkpoint, PassFound, identity_of
from latitude.analysis.context import PassesContext
from latitude.analysis.messages import ROUNDING
from latitude.analysis.section import Finder, chosen
from latitude.analysis.stream_workers import SharedPasses
from latitude.files.progress import Progress, Silent
from latitude.model.default_network import network_or_default
from latitude.model.network import Network, warnings_of
from latitude.model.theta import TOLERANCES, Sweep, Theta
from latitude.results.analysis import Analysis
from latitude.results.answer import (
    Baseline,
    Breakpoints,
    Critical,
    Curve,
    GraphInfo,
    Interval,
    Passes,
    PathParts,
    Sensitivity,
    Tangents,
    Tolerance,
)
from latitude.results.assumptions import Assumptions
from latitude.results.left_out import LeftOut
from latitude.trace.pieces import PieceTrace

POINTS = 16
"""Points of the curve: the number that one pass evaluates together."""
_PROBES = 15
"""Values of θ in the first pass, in addition to the baseline, each three times as far from the
baseline as the last one."""
_FIRST = 1e-3
"""Distance of the first probe from the baseline, as a share of the default interval."""
_BETWEEN = 4
"""Values in each tolerance's bracket in later passes, in addition to its upper end."""
_VALUES = 64
"""Values of θ per worker in one pass that searches for breakpoints, because most of its time is
reading."""
_SAME = 1e-13
"""Largest relative difference of two values of T that is only the rounding of few sums."""
_ROUNDING = 2.0**-52
"""Upper bound of a sum's relative rounding error; T has as many sums as joins follow each other."""


@dataclass(slots=True)
class _Known:
    """T and its slope to the right, by θ, and the line that T follows at large θ."""

    ranks: int
    points: dict[float, tuple[float, float]] = field(default_factory=dict)
    far: tuple[float, float] = (0.0, 0.0)
    same: float = _SAME
    """Largest relative difference of two values of T that differ only by rounding."""

    def add(self, found: PassFound) -> None:
        """Adds the results of a pass."""
        rows = zip(found.values, found.T_ns, found.right, strict=True)
        self.points |= {theta: (runtime, slope) for theta, runtime, slope in rows}
        self.far = found.far
        self.same = max(_SAME, _ROUNDING * found.nodes / self.ranks)

    def within(self, low: float, high: float) -> Tangents:
        """The points inside an interval, in order."""
        value = np.array(sorted(theta for theta in self.points if low <= theta <= high))
        runtime, slope = np.array([self.points[theta] for theta in value.tolist()]).T
        return Tangents(value=value, T_ns=runtime, slope=slope)

    def highest(self, limit: float, start: float) -> tuple[float, float, bool]:
        """A θ with T ≤ limit, an upper bound of all such θ, and whether the two are equal.

        The tangent at any point is nowhere above T. So the θ at which the first tangent reaches the
        limit is an upper bound. Between two points no tangent is higher than those at the two
        points. If T at the bound equals the limit, the bound is the answer. Between two points of
        equal slope T is a straight line, and slopes have no rounding errors, unlike T.
        """
        low = max(
            (t for t, (runtime, _) in self.points.items() if runtime <= limit * (1 + self.same)),
            default=start,
        )
        runtime, rise = self.points[low]
        by_low = low + (limit - runtime) / rise if rise > 0 else math.inf
        above = [t for t in self.points if t > low]
        if not above:
            constant, slope = self.far
            by_far = (limit - constant) / slope if slope > 0 else math.inf
            bound = min(by_low, by_far)
            return low, max(bound, start), math.isinf(bound) or bound <= low
        high = min(above)
        far_off, steeper = self.points[high]
        # T is nowhere above the straight line from `low` to the next point.
        off = abs(runtime + rise * (high - low) - far_off)
        if steeper == rise or off <= self.same * far_off:
            return low, max(by_low, start), True
        by_high = high - (far_off - limit) / steeper if steeper > 0 else math.inf
        bound = max(min(by_low, by_high), start)
        chord = low + (limit - runtime) * (high - low) / (far_off - runtime)
        return max(chord, low), bound, bound <= low


def analyze_stream(
    trace: PieceTrace,
    network: Network | None = None,
    *,
    why: str = "asked for",
    latency: tuple[float, float] | str | None = None,
    sweep: Sweep | str | None = None,
    tolerance: Sequence[float] = TOLERANCES,
    limits_ns: Sequence[float] = (),
    critical: Listed | None = None,
    path: bool = True,
    scratch: Path | None = None,
    sections: Sequence[str] | None = None,
    without: Sequence[str] = (),
    threads: int = 0,
    checkpoint: Checkpoint | None = None,
    dask: str | None = None,
    progress: Progress | None = None,
) -> Analysis:
    """Analyses a trace in passes over its files, in memory that does not grow with its length.

    T and λ equal those of an analysis in memory, bit by bit. Tolerances are as exact, but may
    differ by rounding.

    Args:
        trace: from `latitude.trace.pieces.open_in_pieces`.
        network: LogGPS parameters, without a gap; by default as in `latitude.analyze`.
        why: the reason for streaming, for the result.
        latency: as in `latitude.analyze`.
        sweep: another parameter θ, as in `latitude.analyze`.
        tolerance: degradations, as in `latitude.analyze`.
        limits_ns: runtimes (ns).
        critical: number of breakpoints to list, which takes further passes; None lists none.
        path: follow the critical path, in a last pass that takes 2 to 4 times as long as another
            pass.
        scratch: a folder with room for some 20 bytes per message and 10 per step between messages,
            for the slack of messages. A pass writes the data of its way back into this folder. None
            leaves slack out.
        sections: as in `latitude.analyze`; most sections need the pass along the critical path.
        without: as in `latitude.analyze`.
        threads: number of threads; 0 means one per core. More than three do not help.
        checkpoint: file that keeps each pass, and has the passes of an earlier, killed analysis.
        dask: address of a Dask scheduler, whose workers share each pass except that of the critical
            path. They read the files by the same path, and their results have the same bits.
        progress: called with each pass and its number of bytes read.

    Raises:
        InputError: as `latitude.load` and `latitude.analyze`; the checkpoint is of another
            analysis.
        NotInPiecesError: this trace or network cannot be evaluated in pieces.
    """
    wanted = chosen(sections, without)
    network = network_or_default(network).placed_as(trace.path)
    links = network.links(trace.ranks)
    theta, asked = question(network, links, latency, sweep)
    core_network = network.core_of(links)
    workers = None if dask is None else SharedPasses(dask, trace, network, theta)
    most = _VALUES * (1 if workers is None else workers.threads)
    if checkpoint is not None:
        checkpoint.begin(
            identity_of(trace, network, theta, (asked, critical, most, *tolerance, *limits_ns))
        )
    passes = _Passing(
        trace, core_network, theta, threads, checkpoint, workers, most, progress or Silent()
    )
    known = passes.known
    first = passes.go([theta.base, *_probes(theta)], left=1)
    base_T, slope = known.points[theta.base]
    limits = limits_of(theta, base_T, tolerance, limits_ns)
    while True:
        open_ones = [known.highest(limit, theta.base) for _, limit in limits]
        values = [
            value
            for low, high, done in open_ones
            if not done
            for value in np.linspace(low, high, _BETWEEN + 1).tolist()
        ]
        if not set(values) - set(known.points):
            break
        passes.go(values)
    tolerances = [
        Tolerance(degradation=x, T_limit_ns=limit, value=value, delta=value - theta.base)
        for (x, limit), (_, value, _) in zip(limits, open_ones, strict=True)
    ]
    interval = asked or theta.default_interval(found.value for found in tolerances)
    at = np.linspace(*interval, POINTS)
    last = passes.go(at.tolist())
    runtime, slopes = (np.array([known.points[v][i] for v in at.tolist()]) for i in (0, 1))
    share = np.divide(at * slopes, runtime, out=np.zeros(POINTS), where=runtime > 0)
    curve = Curve(value=at, T_ns=runtime, slope=slopes, share=share)
    bends, listed = _not_listed(known.within(*interval))
    if critical is not None:
        found_bends = _core.curve_in_passes(
            passes.tangents, *interval, critical.most, progress=passes.listed
        )
        bends, listed = listed_of(found_bends, interval)
    context = PassesContext(
        trace=trace,
        network=network,
        links=links,
        theta=theta,
        T_ns=base_T,
        progress=passes.progress,
        followed=passes.follow() if path else None,
        slack=None if scratch is None or "slack" not in wanted else passes.slack(scratch),
    )
    context.curve = curve
    finder = Finder(context, wanted)
    finder.find()
    sensitivity = Sensitivity.of(theta, base_T, first.left[0], slope)
    return Analysis(
        provenance=trace.provenance(),
        trace=trace.info(),
        graph=GraphInfo(
            vertices=last.vertices, edges=last.edges, messages=last.messages, bytes=last.bytes
        ),
        model=Assumptions.of(network, trace),
        streamed=Passes(
            why=why,
            passes=passes.made,
            bytes_read=passes.readings * trace.pieces.bytes,
            joins=last.nodes,
            operations_held=last.most_held,
            paths_held=0 if context.followed is None else context.followed.survivors,
            written_bytes=0 if context.slack is None else context.slack.written,
        ),
        cpu_order=None,
        wildcards=None,
        baseline=_baseline(context, sensitivity),
        sensitivity=sensitivity,
        span=Interval(low=interval[0], high=interval[1]),
        tolerance=tolerances,
        cost=[],
        curve=curve,
        breakpoints=bends,
        critical=listed,
        intervals=None,
        **finder.found,
        left_out=([] if critical is not None else [_NOT_LISTED]) + finder.left_out + _IN_MEMORY,
        warnings=trace.warnings(last.warnings)
        + warnings_of(network)
        + ([] if critical is None else first_only(listed, theta))
        + context.warnings
        + finder.warnings,
        links=links,
    )


_NOT_LISTED = LeftOut(
    what="critical latencies", why="take passes of their own (--critical N, or all)"
)
_IN_MEMORY = [
    LeftOut(what=what, why="needs the whole graph in memory (--in-memory)")
    for what in (
        "efficiency of the recorded run, and up to which θ an efficiency holds",
        "intervals by what the network's parameters were measured with",
    )
]
"""Parts of the answer that are available only if the graph is in memory."""


def _not_listed(points: Tangents) -> tuple[Breakpoints, Critical]:
    """An empty list of breakpoints, and bounds of T from points with slopes."""
    none = np.empty(0)
    straight = bool((points.slope == points.slope[0]).all())
    return Breakpoints(value=none, T_ns=none, lambda_left=none, lambda_right=none), Critical(
        complete=straight,
        listed=0,
        until=float(points.value[-1 if straight else 0]),
        bound=0.0 if straight else _below_chords(points),
        beyond=points.at(np.arange(1, 1 if straight else len(points))),
    )


def _below_chords(points: Tangents) -> float:
    """Largest share of T by which T may be below the straight lines between points.

    Between two points T is nowhere below the intersection of their tangents.
    """
    width, rise = np.diff(points.value), np.diff(points.T_ns)
    left, right = points.slope[:-1], points.slope[1:]
    bent = right > left
    width, rise, left, right = (each[bent] for each in (width, rise, left, right))
    along = (right * width - rise) / (right - left)
    lowest = points.T_ns[:-1][bent] + left * along
    below = (rise / width - left) * along
    return float((below / lowest).max(initial=0.0))


def _baseline(context: PassesContext, varied: Sensitivity) -> Baseline:
    """The baseline's numbers, with λ_L if L was varied, or else from the critical path."""
    latency, T_ns, found = context.links.classes[0].L, context.T_ns, context.followed
    if varied.name == "L":
        left, right = varied.slope_left, varied.slope_right
    elif found is not None:
        left = right = float(found.place_latencies.sum())
    else:
        return Baseline(L_ns=latency, T_ns=T_ns)
    on_path = None if found is None else float(found.place_latency_ns.sum())
    if len(context.links.classes) == 1:
        on_path = latency * right
    return Baseline(
        L_ns=latency,
        T_ns=T_ns,
        lambda_L=right,
        lambda_L_left=left,
        lambda_L_right=right,
        rho_L=None if on_path is None else on_path / T_ns if T_ns > 0 else 0.0,
        path=None if found is None else _parts(found, context),
    )


def _parts(found: _core.StreamPath, context: PassesContext) -> PathParts:
    return PathParts(
        lambda_G=float(found.place_path_bytes.sum()),
        lambda_o=float(found.place_overheads.sum()),
        calc_ns=float(found.place_calc_ns.sum()),
        overhead_ns=float(context.overhead_ns.sum()),
        latency_ns=float(found.place_latency_ns.sum()),
        bandwidth_ns=float(found.place_gap_ns.sum()),
    )


def _probes(theta: Theta) -> list[float]:
    """Values of θ over many magnitudes, which show the magnitude of the tolerances."""
    low, high = theta.default_interval()
    return [low + (high - low) * _FIRST * 3.0**n for n in range(_PROBES)]


class _Passing:
    """Makes passes, reports the progress, and keeps the results."""

    def __init__(
        self,
        trace: PieceTrace,
        network: _core.Network,
        theta: Theta,
        threads: int,
        checkpoint: Checkpoint | None,
        workers: SharedPasses | None,
        most: int,
        progress: Progress,
    ) -> None:
        self._trace = trace
        self._network = network
        self._theta = theta
        self._threads = threads
        self._checkpoint = checkpoint
        self._made_before = [] if checkpoint is None else list(checkpoint.passes)
        self._workers = workers
        self._most = most
        self.progress = progress
        self.known = _Known(trace.ranks)
        self.made = 0
        self._shared = 0
        self._before = 0
        self._left: float | None = None

    @property
    def readings(self) -> int:
        """Number of times the files were read, counting each worker of a shared pass."""
        return self.made + self._shared

    def go(self, values: list[float], left: int = 0) -> PassFound:
        """T at these values of θ, and the slope to the left at the first `left` values."""
        self.made += 1
        if self._made_before:
            found = self._made_before.pop(0)
        else:
            found = self._read(values, left)
            if self._checkpoint is not None:
                self._checkpoint.add(found)
        self.known.add(found)
        return found

    def tangents(self, values: Sequence[float], left: int) -> tuple[list[float], list[float]]:
        """T and slopes at these values of θ: left slopes at the first `left` values, then right."""
        runtime: list[float] = []
        slope: list[float] = []
        for first in range(0, len(values), self._most):
            own = [*values[first : first + self._most]]
            to_left = min(max(left - first, 0), len(own))
            found = self.go(own, to_left)
            runtime += found.T_ns
            slope += found.left + found.right[to_left:]
        self._before = self._before or self.made
        return runtime, slope

    def listed(self, share: float) -> None:
        """Reports the remaining passes, given the share of the breakpoints already listed."""
        made = self.made - self._before
        self._left = made * (1 - share) / share if share > 0 else None

    def follow(self) -> _core.StreamPath:
        """The critical path at the baseline, in the last pass, which needs no checkpoint.

        Latitude makes this pass twice if the sums of all possibly critical paths need too much
        memory.
        """
        self.made += 1
        self._left = None
        with self._reading() as how:
            found = self._trace.follow(self._network, how)
        self.made += found.passes - 1
        return found

    def slack(self, scratch: Path) -> _core.StreamSlack:
        """Slack of all messages at the baseline, in a pass that needs no checkpoint."""
        self.made += 1
        with self._reading("Going back over messages") as how:
            return self._trace.slack(self._network, how, scratch, ROUNDING)

    def _read(self, values: list[float], left: int) -> PassFound:
        if self._workers is not None:
            parts = self._workers.parts(values, left)
            self._shared += len(parts) - 1
            self._stage(self.made)
            return self._workers.evaluate(parts)
        at = np.array(values, dtype=float)
        along = self._theta.parameter, self._theta.fixed, self._theta.weight
        with self._reading() as how:
            return PassFound.of(values, self._trace.evaluate(self._network, along, at, left, how))

    def _stage(self, number: int, total: int | None = None) -> None:
        left = "" if self._left is None else f", about {math.ceil(self._left) or 1} to go"
        self.progress.stage(f"Reading trace, pass {number}{left}", total)

    @contextmanager
    def _reading(self, then: str | None = None) -> Iterator[_core.Pass]:
        """Settings of a pass, with its progress; `then` names a next step that is not a pass."""
        number, told = self.made, 0
        self._stage(number, self._trace.pieces.bytes)

        def tell(bytes_read: int) -> None:
            nonlocal number, told
            if bytes_read <= told:  # another reading begins
                number, told = number + 1, 0
                if then is None:
                    self._stage(number, self._trace.pieces.bytes)
                else:
                    self.progress.stage(then, self._trace.pieces.bytes)
            self.progress.advance(bytes_read - told)
            told = bytes_read

        try:
            yield self._trace.how(self._threads, tell)
        except OSError as error:
            name = error.filename or self._trace.path
            raise InputError(f"{name}: {error.strerror or error}") from error
