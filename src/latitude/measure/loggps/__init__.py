"""LogGPS parameters of the user's MPI, by the exchanges of runtime/bench/loggps.

Parametrised round trips, PRTT(n, d, s), come from two papers. Hoefler, Lichei and Rehm wrote
"Low-Overhead LogGP Parameter Assessment for Modern Interconnection Networks" (2007). Hoefler,
Schneider and Lumsdaine wrote "LogGP in Theory and Practice" (2009). Sends whose receiver is late
give S.
"""

import math
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from pathlib import Path

from latitude.files.writing import refuse_existing, write_new
from latitude.measure.loggps.described import cluster_text, measurement_of
from latitude.measure.loggps.measured import link_classes, warnings_of
from latitude.measure.loggps.pair import pairs_of
from latitude.measure.loggps.pairs import RulePairs, rule_pairs
from latitude.measure.loggps.result import REPLICATES_SEED, Measured, Wishes
from latitude.measure.results import BenchResults
from latitude.measure.session import BenchRequest, Ran, scratch_in
from latitude.measure.session import measure as run
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.units.quantities import counted, format_time

__all__ = ["CLUSTER", "PROGRAM", "Measured", "Wishes", "announced", "measure", "measurement_of"]

PROGRAM = "loggps"
CLUSTER = "cluster.toml"
_LATE, _GRACE_NS = 1.5, 60e9
"""After this multiple of the time for all starts, plus this grace period, no further start begins.
The grace is for tests that run once, which take long on a busy machine.
"""
_ROUNDS, _LEAST_ROUNDS = 5, 2
"""Least numbers of rounds of a test, over all starts and in each start."""


def measure(
    launch: Sequence[str],
    directory: Path,
    wishes: Wishes | None = None,
    tell: Callable[[str], None] | None = None,
) -> Measured:
    """Measures between the ranks that `launch` starts; leaves loggps.bench and cluster.toml.

    Args:
        launch: e.g. `["mpirun", "-n", "2", "--map-by", "node"]`; the program is appended.
        directory: directory for the results; rank 0 must be able to write there.
        wishes: options of the measurement.
        tell: function that gets a line about the duration, before the first start.

    Raises:
        InputError: the program cannot be built or started, failed, or results exist.
    """
    wishes = wishes or Wishes()
    refuse_existing([directory / CLUSTER], force=wishes.force)
    started = datetime.now(timezone.utc)

    def begins() -> None:
        if tell is not None:
            tell(announced(wishes))

    rules = _rule_pairs(launch, directory, wishes)
    ran = run(
        BenchRequest(
            program=PROGRAM,
            launch=launch,
            arguments={
                **({} if rules is None else {"between": str(rules)}),
                "pairs": wishes.pairs,
                "seed": wishes.seed,
                "most": wishes.most,
                "size": wishes.size,
                "quantile": wishes.quantile,
                # All starts together then have the requested precision.
                "precision": wishes.precision * math.sqrt(wishes.starts),
                "rounds": max(_LEAST_ROUNDS, math.ceil(_ROUNDS / wishes.starts)),
                "seconds": wishes.start_ns * 1e-9,
                "pin": int(wishes.pin),
                "cold": int(wishes.cold),
            },
            mpi=wishes.mpi,
            force=wishes.force,
        ),
        directory,
        wishes.starts,
        begins,
        Enough(wishes.time_ns),
    )
    pairs = pairs_of(ran.results, wishes.quantile, REPLICATES_SEED)
    classes = link_classes(pairs, wishes.size, rules)
    warnings = list(warnings_of(pairs, classes, wishes.size))
    if len(ran.results) < wishes.starts:
        warnings.append(_cut_short(ran, wishes))
    measured = Measured(wishes, started, ran, pairs, rules, classes, warnings, directory / CLUSTER)
    write_new(measured.cluster, cluster_text(measured), force=wishes.force)
    return measured


def _rule_pairs(launch: Sequence[str], directory: Path, wishes: Wishes) -> RulePairs | None:
    """Pairs of ranks by link rules, after a start that tells where ranks run.

    None: no rules are given.
    """
    if wishes.described is None:
        return None
    with scratch_in(directory) as scratch:
        request = BenchRequest(PROGRAM, launch, {"between": ""}, wishes.mpi)
        (found,) = run(request, scratch, 1, lambda: None, lambda _: True).results
    return rule_pairs(found.places(), wishes.described, wishes.pairs, wishes.seed)


class Enough:
    """Tells whether the ranks have measured for too long to begin another start."""

    def __init__(self, time_ns: float) -> None:
        self._limit_ns = _LATE * time_ns + _GRACE_NS
        self._spent_ns = 0.0

    def __call__(self, found: BenchResults) -> bool:
        """Adds a start's results; true if no further start should begin."""
        self._spent_ns += 1e9 * sum(float(each.values[0]) for each in found.named("pair"))
        return self._spent_ns >= self._limit_ns


def _cut_short(ran: Ran, wishes: Wishes) -> Notice:
    made = f"{len(ran.results)} of {counted(wishes.starts, 'start')}"
    if ran.interrupted:
        return kinds.FEWER_STARTS(f"interrupted after {made}, which count")
    return kinds.FEWER_STARTS(
        f"{made} took {format_time(ran.seconds * 1e9, 3)} instead of "
        f"{format_time(wishes.time_ns, 3)}, so Latitude started no further one: other work used "
        "the cores"
    )


def announced(wishes: Wishes) -> str:
    """The duration of a measurement, as a sentence for its user."""
    each, every = (format_time(ns, 3) for ns in (wishes.start_ns, wishes.time_ns))
    if wishes.starts == 1:
        return f"measuring the network: 1 start of the program, up to {every} and its starting"
    return (
        f"measuring the network: {wishes.starts} starts of the program, up to {each} each, "
        f"{every} in all, and their starting"
    )
