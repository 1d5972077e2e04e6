"""T, λ, tolerances and the curve of a trace that is evaluated while it is read, in few passes."""

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
from latitude.analysis.messages import ROUNDING
from latitude.analysis.slack import streamed_slack
from latitude.analysis.stream_path import StreamedPath
from latitude.analysis.stream_workers import SharedPasses
from latitude.files.progress import Progress, Silent
from latitude.model.default_network import network_or_default
from latitude.model.network import Network, warnings_of
from latitude.model.theta import TOLERANCES, Sweep, Theta
from latitude.results.analysis import (
    Curve,
    GraphInfo,
    Interval,
    Sensitivity,
    Tangents,
    Tolerance,
)
from latitude.results.assumptions import Assumptions
from latitude.results.messages import StreamedSlack
from latitude.results.streamed import Passes, StreamedAnalysis, left_out
from latitude.trace.pieces import PieceTrace

POINTS = 16
"""Of the curve: as many as one pass evaluates side by side."""
_PROBES = 15
"""Values of θ besides the baseline in the first pass, each three times as far."""
_FIRST = 1e-3
"""How far the first of them is, as a share of the default interval."""
_BETWEEN = 4
"""Values in each tolerance's bracket, besides its upper end, in later passes."""
_VALUES = 64
"""Values of θ in one pass that looks for critical values, of each worker: most of its time is
reading."""
_SAME = 1e-13
"""Two values of T that are no further apart, relative, are one but for rounding: of few sums."""
_ROUNDING = 2.0**-52
"""By which share of it a sum may be rounded, and more: T has as many as joins follow each other."""


@dataclass(slots=True)
class _Known:
    """T and its slope to the right, by θ, and the line that T follows far away."""

    ranks: int
    points: dict[float, tuple[float, float]] = field(default_factory=dict)
    far: tuple[float, float] = (0.0, 0.0)
    same: float = _SAME
    """Two values of T that are no further apart, relative, are one but for rounding."""

    def add(self, found: PassFound) -> None:
        """What a pass has found."""
        rows = zip(found.values, found.T_ns, found.right, strict=True)
        self.points |= {theta: (runtime, slope) for theta, runtime, slope in rows}
        self.far = found.far
        self.same = max(_SAME, _ROUNDING * found.nodes / self.ranks)

    def within(self, low: float, high: float) -> Tangents:
        """The points of an interval, in order."""
        value = np.array(sorted(theta for theta in self.points if low <= theta <= high))
        runtime, slope = np.array([self.points[theta] for theta in value.tolist()]).T
        return Tangents(value=value, T_ns=runtime, slope=slope)

    def highest(self, limit: float, start: float) -> tuple[float, float, bool]:
        """A value of θ with T ≤ limit, one that no solution exceeds, and whether that is it.

        Lines through a point with T's slope there are nowhere above T, so T has reached the limit
        where the first of them does; between two points none is higher than theirs. Where T is as
        low as that there, that is the answer. Between two points with one slope T is straight:
        slopes are not rounded, as T is.
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
    threads: int = 0,
    checkpoint: Checkpoint | None = None,
    dask: str | None = None,
    progress: Progress | None = None,
) -> StreamedAnalysis:
    """Analyses a trace in passes over its files, in memory that does not grow with its length.

    T and λ have the bits of an analysis in memory; a tolerance is as exact, and may differ from it
    by rounding.

    Args:
        trace: what `latitude.trace.pieces.open_in_pieces` returned.
        network: LogGPS parameters; defaults are those of [S] §III.B. A gap is not evaluated so.
        why: why the trace is not read as a whole, for the result.
        latency: as in `latitude.analyze`, and what follows.
        sweep: another parameter θ.
        tolerance: degradations.
        limits_ns: runtimes (ns).
        critical: how many critical values to list, in passes of their own; None: none.
        path: follow the critical path, in a last pass that costs 2 to 4 times another one.
        scratch: a folder with room for some 20 bytes per message and 10 per step between them,
            where a pass for the slack of messages keeps what its way back asks; None: no slack.
        threads: 0 is one per core; three at most have something to do.
        checkpoint: keeps each pass, and has those that an analysis made which was killed.
        dask: address of a Dask scheduler, whose workers share each pass but the critical path's:
            they read the files by the same path, and what they find has the same bits.
        progress: told of each pass and of the bytes read in it.

    Raises:
        InputError: as `latitude.load` and `latitude.analyze`; the checkpoint is of another one.
        NotInPiecesError: the trace, or the network, has to be taken as a whole.
    """
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
    bends, listed = None, None
    if critical is not None:
        found_bends = _core.curve_in_passes(
            passes.tangents, *interval, critical.most, progress=passes.listed
        )
        bends, listed = listed_of(found_bends, interval)
    followed = passes.follow() if path else None
    slack = None if scratch is None else passes.slack(scratch)
    runtime, slopes = (np.array([known.points[v][i] for v in at.tolist()]) for i in (0, 1))
    share = np.divide(at * slopes, runtime, out=np.zeros(POINTS), where=runtime > 0)
    curve = Curve(value=at, T_ns=runtime, slope=slopes, share=share)
    found = StreamedAnalysis(
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
            paths_held=0,
        ),
        T_ns=base_T,
        sensitivity=Sensitivity.of(theta, base_T, first.left[0], slope),
        span=Interval(low=interval[0], high=interval[1]),
        tolerance=tolerances,
        curve=curve,
        tangents=known.within(*interval),
        listed_values=bends,
        listed_until=listed,
        slack=slack,
        left_out=left_out(path=path, critical=critical is not None, slack=slack is not None),
        warnings=trace.warnings(last.warnings)
        + warnings_of(network)
        + ([] if listed is None else first_only(listed, theta)),
        network=network,
        links=links,
    )
    return found if followed is None else StreamedPath(trace, network, followed).added_to(found)


def _probes(theta: Theta) -> list[float]:
    """Values of θ over many magnitudes, to see how far the tolerances are."""
    low, high = theta.default_interval()
    return [low + (high - low) * _FIRST * 3.0**n for n in range(_PROBES)]


class _Passing:
    """Makes passes, tells how far they are, and keeps what they find."""

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
        self._progress = progress
        self.known = _Known(trace.ranks)
        self.made = 0
        self._shared = 0
        self._before = 0
        self._left: float | None = None

    @property
    def readings(self) -> int:
        """How often the files were read: in a pass that workers share by each of them."""
        return self.made + self._shared

    def go(self, values: list[float], left: int = 0) -> PassFound:
        """T at these values of θ; the slope to the left at the first `left`."""
        self.made += 1
        if self._made_before:
            found = self._made_before.pop(0)
        else:
            found = self._read(values, left)
            if self._checkpoint is not None:
                self._checkpoint.add(found)
        self.known.add(found)
        return found

    def tangents(self, values: list[float], left: int) -> tuple[list[float], list[float]]:
        """T at these values of θ, and its slope: to the left at the first `left`."""
        runtime: list[float] = []
        slope: list[float] = []
        for first in range(0, len(values), self._most):
            own = values[first : first + self._most]
            to_left = min(max(left - first, 0), len(own))
            found = self.go(own, to_left)
            runtime += found.T_ns
            slope += found.left + found.right[to_left:]
        self._before = self._before or self.made
        return runtime, slope

    def listed(self, share: float) -> None:
        """Told which share of the critical values is listed; says how many passes that leaves."""
        made = self.made - self._before
        self._left = made * (1 - share) / share if share > 0 else None

    def follow(self) -> _core.StreamPath:
        """The critical path at the baseline: the last pass, of which no checkpoint is needed.

        It is made twice where the sums of all paths that may become critical would be too many.
        """
        self.made += 1
        self._left = None
        with self._reading() as how:
            found = self._trace.follow(self._network, how)
        self.made += found.passes - 1
        return found

    def slack(self, scratch: Path) -> StreamedSlack:
        """Of all messages at the baseline: a pass of which no checkpoint is needed either."""
        self.made += 1
        with self._reading("Going back over messages") as how:
            found = self._trace.slack(self._network, how, scratch, ROUNDING)
        return streamed_slack(found, self._trace.pieces.trace)

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
        self._progress.stage(f"Reading trace, pass {number}{left}", total)

    @contextmanager
    def _reading(self, then: str | None = None) -> Iterator[_core.Pass]:
        """How a pass goes, which is told of; `then`: what it goes on with, if not another pass."""
        number, told = self.made, 0
        self._stage(number, self._trace.pieces.bytes)

        def tell(bytes_read: int) -> None:
            nonlocal number, told
            if bytes_read <= told:  # from the start again
                number, told = number + 1, 0
                if then is None:
                    self._stage(number, self._trace.pieces.bytes)
                else:
                    self._progress.stage(then, self._trace.pieces.bytes)
            self._progress.advance(bytes_read - told)
            told = bytes_read

        try:
            yield self._trace.how(self._threads, tell)
        except OSError as error:
            name = error.filename or self._trace.path
            raise InputError(f"{name}: {error.strerror or error}") from error
