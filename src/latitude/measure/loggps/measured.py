"""The parameters of a class of links, from its pairs."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from latitude.measure.loggps.fitting import PairFit, fit
from latitude.measure.loggps.pair import Pair, most_frequent
from latitude.measure.loggps.pairs import RulePairs
from latitude.measure.loggps.replicates import REPLICATES, Replicates, nearly_always
from latitude.measure.loggps.segments import lines, segments
from latitude.model.rules import BETWEEN
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.results.measurement import MeasuredValue, Reading, SizeRange, SizeTimes

INSIDE = "inside a node"
EAGER, RENDEZVOUS = "eager", "rendezvous"
LIMITING = 1.5
"""Least ratio of g to the larger overhead at which g counts; below this ratio, the CPUs determine
the measured value.
"""
_ACCURATE = 0.25
_DRAWN = slice(1, None, REPLICATES // 50)
"""Selects 50 replicates, which give the limits of the 90 % interval to a few per cent of its width.
"""


@dataclass(frozen=True, slots=True)
class MeasuredLinks:
    """Parameters of a class of links, ns and ns per byte: medians over its pairs of ranks."""

    name: str
    pairs: int
    L: MeasuredValue
    rest: MeasuredValue
    """Half a round trip of one byte less its overheads: L if positive."""
    o: MeasuredValue
    """The model's o for both ends: the mean of `o_send` and `o_receive`, or less."""
    o_send: MeasuredValue
    o_receive: MeasuredValue
    o_delayed: MeasuredValue | None
    """o_send of one byte by Hoefler's formula, from round trips instead of calls."""
    g: MeasuredValue
    slope: MeasuredValue
    """Slope of half a round trip over its size."""
    O: MeasuredValue
    """CPU time per byte of an eager message, mean of both ends."""
    S: int
    """Eager limit of MPI_Send, bytes, the most frequent of the pairs; the largest tried message if
    no send waited for its receiver.
    """
    S_isend: int
    """Eager limit of MPI_Isend, bytes."""
    S_start: int
    """Eager limit of MPI_Start, bytes."""
    waits: bool
    """Whether some send waited for its receiver."""
    rendezvous: Reading | None
    reading_told: bool
    """Whether nearly all replicates of a pair have this reading."""
    least_L: float
    most_L: float
    """Largest L among the pairs."""
    ranges: tuple[SizeRange, ...]
    sizes: tuple[SizeTimes, ...]
    replicates: Mapping[str, Replicates]
    """Replicates of L, o, send, receive, g, slope and O; one index is one replicate of the
    measurement."""

    def draws(self, O: Replicates | None) -> dict[str, list[float]]:
        """Replicates of the model's parameters, each at least 0, with the O in use, if any."""
        every = self.replicates
        found = {"L": every["L"], "o": every["o"], "G": self._wire(O)}
        if O is not None:
            found["O"] = O
        if self.gap_counts:
            found["g"] = every["g"]
        return {name: np.maximum(values[_DRAWN], 0.0).tolist() for name, values in found.items()}

    @property
    def gap_counts(self) -> bool:
        """Whether something other than the CPUs limits a stream of small messages."""
        every = self.replicates
        overhead = np.maximum(every["send"], every["receive"])
        return nearly_always(every["g"] > LIMITING * overhead)

    @property
    def bytes_count(self) -> bool:
        """Whether the bytes of the largest eager message cost more CPU time than o.

        False if the slope is at most O: large messages then do not need the CPUs, but the model has
        a single O. Nearly all replicates must agree. Otherwise one measurement would separate O and
        G and the next would not, although only their sum, the slope, is known.
        """
        every = self.replicates
        O = every["O"]
        return nearly_always((every["o"] < self.S * O) & (every["slope"] > O))

    def G(self, O: Replicates | None) -> MeasuredValue:  # noqa: N802 - the model's names
        """G: the slope, less O if O is used."""
        return estimate_of(self._wire(O))

    def _wire(self, O: Replicates | None) -> Replicates:
        slope = self.replicates["slope"]
        return slope if O is None else np.maximum(slope - O, 0.0)

    @property
    def error(self) -> float:
        """Root mean square of the relative deviations of the model's half round trips."""
        return float(np.sqrt(np.mean([each.model_error**2 for each in self.sizes])))


def estimate_of(values: Replicates) -> MeasuredValue:
    """A value with the interval from its replicates."""
    low, high = np.quantile(values[1:], [0.025, 0.975])
    value = float(values[0])
    return MeasuredValue(value=value, low=float(min(low, value)), high=float(max(high, value)))


def link_classes(
    pairs: Sequence[Pair], size: int, rules: RulePairs | None = None
) -> list[MeasuredLinks]:
    """Classes that have pairs, by link rules (by nodes if None); links between nodes come first."""
    found: dict[str, list[Pair]] = {
        name: [] for name in ((BETWEEN, INSIDE) if rules is None else rules.names)
    }
    for pair in pairs:
        found[kind_of(pair, rules)].append(pair)
    return [
        _link_class(name, chosen, [fit(pair, size) for pair in chosen])
        for name, chosen in found.items()
        if chosen
    ]


def kind_of(pair: Pair, rules: RulePairs | None) -> str:
    """The name of the links between two ranks."""
    if rules is not None:
        return rules.rule_of[pair.leader, pair.other]
    return INSIDE if pair.inside else BETWEEN


def _link_class(name: str, pairs: Sequence[Pair], fits: Sequence[PairFit]) -> MeasuredLinks:
    def estimate(attribute: str) -> MeasuredValue:
        return estimate_of(_median([getattr(each, attribute) for each in fits]))

    def by_size(attribute: str, size: int) -> MeasuredValue | None:
        found = [getattr(pair, attribute).get(size) for pair in pairs]
        known = [values for values in found if values is not None]
        return estimate_of(_median(known)) if known else None

    ((rendezvous, _),) = Counter(each.rendezvous for each in fits).most_common(1)
    eager = most_frequent(pair.eager for pair in pairs)
    all_sizes = sorted(set.intersection(*(set(pair.half) for pair in pairs)))
    halves = {size: _median([pair.half[size] for pair in pairs]) for size in all_sizes}
    return MeasuredLinks(
        name=name,
        pairs=len(pairs),
        L=estimate("L"),
        rest=estimate("rest"),
        o=estimate("o"),
        o_send=estimate("send"),
        o_receive=estimate("receive"),
        o_delayed=by_size("delayed", 1),
        g=estimate("g"),
        slope=estimate("slope"),
        O=estimate("O"),
        S=eager,
        S_isend=most_frequent(pair.eager_isend for pair in pairs),
        S_start=most_frequent(pair.eager_start for pair in pairs),
        waits=max(all_sizes) > eager,
        rendezvous=rendezvous,
        reading_told=any(each.reading_told and each.rendezvous == rendezvous for each in fits),
        least_L=min(float(each.L[0]) for each in fits),
        most_L=max(float(each.L[0]) for each in fits),
        ranges=tuple(_ranges(halves, eager)),
        sizes=tuple(
            SizeTimes(
                bytes=size,
                half_round_trip_ns=estimate_of(halves[size]),
                o_send_ns=by_size("send", size),
                o_receive_ns=by_size("receive", size),
                between_ns=by_size("between", size),
                send_held_ns=by_size("held", size),
                model_error=float(np.median([each.error[size] for each in fits])),
            )
            for size in all_sizes
        ),
        replicates={
            name: _median([getattr(each, name) for each in fits])
            for name in ("L", "o", "send", "receive", "g", "slope", "O")
        },
    )


def _median(values: Sequence[Replicates]) -> Replicates:
    """The median over the pairs, in each replicate."""
    found: Replicates = np.median(np.stack(values), axis=0)
    return found


def _ranges(halves: dict[int, Replicates], eager: int) -> Iterator[SizeRange]:
    for protocol, chosen in (
        (EAGER, [size for size in halves if size <= eager]),
        (RENDEZVOUS, [size for size in halves if size > eager]),
    ):
        if len(chosen) < 2:  # noqa: PLR2004 - a line has two ends
            continue
        sizes = np.array(chosen, dtype=np.float64)
        times = np.stack([halves[size] for size in chosen])
        for first, end in segments(sizes, times[:, 0]):
            start, slope = lines(sizes[first:end], times[first:end])
            yield SizeRange(
                first_bytes=chosen[first],
                last_bytes=chosen[end - 1],
                protocol=protocol,
                start_ns=estimate_of(start),
                G_ns_per_byte=estimate_of(slope),
            )


def warnings_of(
    pairs: Sequence[Pair], classes: Sequence[MeasuredLinks], size: int
) -> Iterator[Notice]:
    """Warnings about the measurement."""
    imprecise = sum(pair.imprecise for pair in pairs)
    if imprecise:
        yield kinds.IMPRECISE(f"{imprecise} of the tests have wider intervals than requested")
    if all(pair.inside for pair in pairs):
        yield kinds.ONE_NODE(
            "all ranks run on one node: the values hold inside this node, not for the network"
        )
    for each in classes:
        yield from _class_warnings(each, size)
    if len({pair.eager for pair in pairs}) > len(classes) or not all(p.one_S for p in pairs):
        yield kinds.EAGER_LIMITS_DIFFER(
            "pairs of the same class, or starts of the program, change protocol at different "
            "sizes; S is the most frequent"
        )
    if all(len(pair.smallest) == 1 for pair in pairs):
        yield kinds.ONE_START(
            "the program was started once: no interval includes the differences between starts"
        )


def _class_warnings(each: MeasuredLinks, size: int) -> Iterator[Notice]:
    if each.L.value == 0:
        yield kinds.LATENCY_HIDDEN(
            f"{each.name}: a send and a receive alone take longer than half a round trip, so L "
            "cannot be measured; L = 0, and o is smaller to fit half a round trip"
        )
    if not each.waits:
        yield kinds.NO_RENDEZVOUS(
            f"{each.name}: no send waited for its receiver up to {each.S:,} bytes; S is set to "
            "this size"
        )
    if each.waits and not each.reading_told:
        yield kinds.RENDEZVOUS_UNTOLD(
            f"{each.name}: the replicates of the measurement disagree on the rendezvous protocol "
            f"above S, so the file has the default, {each.rendezvous}"
        )
    if size > each.S and each.waits:
        yield kinds.SIZE_ABOVE_S(
            f"{each.name}: messages of {size:,} bytes wait for their receiver, so their o cannot "
            f"be seen; it is that of {each.S:,} bytes"
        )
    if each.error > _ACCURATE:
        yield kinds.MODEL_DEVIATES(
            f"{each.name}: the model's half round trips deviate by {each.error:.0%} (root mean "
            "square over the sizes): one L, o and G do not describe all of them"
        )
