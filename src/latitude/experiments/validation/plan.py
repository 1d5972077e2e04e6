"""The runs of a validation, and their order."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from latitude._core import InputError
from latitude.distributions.cells import constant_table
from latitude.experiments.planned import SPAN, LevelPlan, Planned, Subject
from latitude.experiments.validation.tolerance import MeasuredTolerance
from latitude.launch.injecting.latency import DEFAULT_SEED
from latitude.model.links import AddedLatency
from latitude.model.theta import TOLERANCES
from latitude.results.injection import FLOW
from latitude.results.runs import SWEEP
from latitude.units.quantities import format_time, parse_time

TRACE = "trace"
_SMALL_TRACE = 16 << 20
"""Largest trace, bytes, with which all runs are traced by default."""
_FEW_TRACES = 3
"""Number of traced runs at ΔL = 0, and at the largest ΔL, if traces are larger."""
SLOWER = (0.25, 1.0)
"""Degradations whose ΔL get runs, in addition to ΔL = 0, if a plan must fit into some minutes."""
_MOST_REPETITIONS = 31
_COARSE = (0.1, 0.2)
"""Default degradations if the runs' own variation of computing cannot be subtracted."""
_EXAMPLE = "0:2ms:9 or 0,100us,1ms"


@dataclass(frozen=True, slots=True)
class Setup:
    """The subject of a validation; another setup needs another directory."""

    command: tuple[str, ...]
    folder: str
    """Working directory of the command."""
    intra_node: bool
    base_ns: int
    """Latency added to each message of every run, including traced runs, ns."""
    clock: str
    """Clock of the traces: wall or CPU."""

    def added(self, delta_ns: float = 0.0) -> AddedLatency:
        """Latency that the injector adds to messages in runs at this ΔL."""
        return AddedLatency(self.base_ns + delta_ns, self.intra_node)

    def subject(self, name: str, limit_s: float | None) -> Subject:
        """The command as a subject of runs."""
        return Subject(name, self.command, self.folder, {}, limit_s, SPAN, 1.0, None)

    def level(self, delta_ns: int, name: str = "") -> LevelPlan:
        """The level at which every message is later by `base_ns` + `delta_ns`."""
        total = self.base_ns + delta_ns
        return LevelPlan(
            name or f"{delta_ns}ns",
            SWEEP,
            layer=FLOW,
            latency=f"{total}ns",
            table=constant_table(total, f"{total}ns"),
            mean_ns=float(delta_ns),
            intra_node=self.intra_node,
        )

    @classmethod
    def here(cls, command: Sequence[str], clock: str, base_ns: int, *, intra_node: bool) -> "Setup":
        """The setup of a command in the working directory."""
        return cls(tuple(command), str(Path.cwd()), intra_node, base_ns, clock)


@dataclass(frozen=True, slots=True)
class ValidationQuestion:
    """The user's questions."""

    deltas_ns: Sequence[int]
    """ΔL in rising order, ns; the first is 0."""
    repetitions: int
    traces: int | None
    """Number of runs to trace at ΔL = 0 and at the largest ΔL; None if all runs are traced."""
    tolerance: Sequence[float] | None
    """Degradations in rising order; None for the defaults."""
    replay: bool
    """Whether predictions keep the traced runs' time beyond the model; needs `traced_times`."""
    seed: int
    """Seed for the order of the runs."""
    minutes: float | None = None
    """Time for the whole validation, minutes, from which ΔL and repetitions follow; None if these
    are given."""
    few_if_large: bool = False
    """Whether only a few runs are traced if a trace is large."""
    limit_s: float | None = None
    """Duration beyond which a run has failed, s."""
    places: bool = True
    """Whether runs are made around predicted tolerances, in addition to `deltas_ns`."""
    precision: float | None = None
    """Half the width of each measured tolerance's interval, as a share of the tolerance. None
    accepts the width from `repetitions`."""
    most: int = 50
    """Largest number of repetitions for this precision."""
    at_most: float | None = None
    """Largest accepted error, as a share; None for the default."""

    @property
    def degradations(self) -> Sequence[float]:
        """The degradations whose tolerances are predicted and measured.

        Small degradations are included only if each run's own variation of computing can be
        subtracted.
        """
        return self.tolerance or (TOLERANCES if self.traces is None else _COARSE)

    def within(
        self, delta_ns: Sequence[int], block_s: float, left_s: float
    ) -> "ValidationQuestion":
        """The question with as many repetitions of these ΔL as fit into `left_s`.

        Each repetition takes `block_s`.

        InputError: not even one repetition fits.
        """
        repetitions = min(int(left_s / block_s), _MOST_REPETITIONS)
        if repetitions < 1:
            raise InputError(
                f"minutes: one run of each ΔL takes {block_s / 60:.2g} more; give --minutes "
                f"{math.ceil((self.minutes or 0.0) + (block_s - left_s) / 60):d} or more"
            )
        return replace(
            self, deltas_ns=tuple(delta_ns), repetitions=repetitions, places=False, minutes=None
        )

    def decided(self, trace_bytes: int) -> "ValidationQuestion":
        """The question with a decision about tracing all runs, from the first trace's size."""
        large = self.traces is None and self.few_if_large and trace_bytes > _SMALL_TRACE
        return replace(self, traces=_FEW_TRACES) if large else self

    def next_repetitions(self, made: int, found: Sequence[MeasuredTolerance]) -> int | None:
        """The number of repetitions to make in all, after `made`; None if `made` suffice.

        At most three times `made`, because the spread of a few runs is uncertain.
        """
        if self.precision is None or made >= self.most:
            return None
        wide = [each for each in found if not each.narrow(self.precision)]
        if not wide:
            return None
        needed = max(each.needed or 3 * made for each in wide)
        return min(max(needed, made + 1), 3 * made, self.most)


def is_traced(run: Planned) -> bool:
    """Whether the run is made only for its trace."""
    return _of_trace(run.level.name)


def is_traced_there(run: Planned) -> bool:
    """Whether the run is traced at the largest ΔL instead of at 0."""
    return is_traced(run) and run.level.mean_ns > 0


def _of_trace(level: str) -> bool:
    return level == TRACE or level.startswith(f"{TRACE}-")


def title(level: str, delta_ns: float, repetition: int) -> str:
    """The name of a run for people."""
    there = f"ΔL = {format_time(delta_ns, 4)}"
    if _of_trace(level):
        return f"trace {repetition} at {there}" if delta_ns else f"trace {repetition}"
    return f"{there} #{repetition}"


def parse_deltas(text: str) -> tuple[int, ...]:
    """Parses `0:2ms:9` (both ends and even steps between) or `0,100us,1ms`.

    Returns ns in rising order, always with 0.
    """
    if ":" in text:
        parts = text.split(":")
        count = parts[-1].strip()
        if len(parts) != 3 or not count.isdecimal() or int(count) < 2:  # noqa: PLR2004
            raise InputError(f"'{text}' is not a range of latencies; write e.g. {_EXAMPLE}")
        low, high = (parse_time(part, "delta", "2ms") for part in parts[:2])
        if not low < high:
            raise InputError(f"'{text}' is empty: its second end must be larger than its first")
        steps = int(count) - 1
        values = [low + (high - low) * step / steps for step in range(steps + 1)]
    else:
        values = [parse_time(part, "delta", "100us") for part in text.split(",")]
    return tuple(sorted({0, *(round(value) for value in values)}))


def planned(
    setup: Setup,
    program: Subject,
    deltas: Sequence[int],
    repetitions: int,
    traces: int | None,
    there_ns: int,
    seed: int,
) -> list[Planned]:
    """All runs in random order, repetition by repetition, beginning with a traced run if any.

    `traces` is the number of traces at ΔL = 0, and at `there_ns` unless that is 0. If all runs are
    traced (None), only the first run is made for its trace. Each repetition of all ΔL comes before
    the next, and each has its share of the other traced runs. So slow changes of the machine affect
    all ΔL equally, and an interrupted validation has measured all ΔL.
    """
    order = random.Random(seed)  # noqa: S311 - no secret
    traced = setup.level(0, TRACE)
    there = setup.level(there_ns, f"{TRACE}-{there_ns}ns")
    levels = [setup.level(delta) for delta in deltas]
    runs = [] if traces == 0 else [(traced, 1)]
    apart = traces or 0
    for repetition in range(1, repetitions + 1):
        block = [(level, repetition) for level in levels]
        block += [(traced, number) for number in range(repetition + 1, apart + 1, repetitions)]
        if there_ns:
            block += [(there, number) for number in range(repetition, apart + 1, repetitions)]
        order.shuffle(block)
        runs += block
    return [
        Planned(f"{level.name}-{number}", program, level, number, DEFAULT_SEED, place)
        for place, (level, number) in enumerate(runs, 1)
    ]
