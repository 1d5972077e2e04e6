"""LogGPS parameters of the user's MPI, by the exchanges of runtime/bench/loggps.

Parametrised round trips, PRTT(n, d, s), are Hoefler, Lichei and Rehm's ("Low-Overhead LogGP
Parameter Assessment for Modern Interconnection Networks", 2007) and Hoefler, Schneider and
Lumsdaine's ("LogGP in Theory and Practice", 2009). S is found by sends whose receiver is late.
"""

from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

from latitude.files.writing import refuse_existing, write_new
from latitude.measure.loggps.described import cluster_text, measurement_of
from latitude.measure.loggps.measured import link_classes, warnings_of
from latitude.measure.loggps.pair import pairs_of
from latitude.measure.loggps.result import SEED, Measured, Wishes
from latitude.measure.session import BenchRequest
from latitude.measure.session import measure as run

__all__ = ["CLUSTER", "PROGRAM", "Measured", "Wishes", "measure", "measurement_of"]

PROGRAM = "loggps"
CLUSTER = "cluster.toml"


def measure(launch: Sequence[str], directory: Path, wishes: Wishes | None = None) -> Measured:
    """Measures between the ranks that `launch` starts; leaves loggps.bench and cluster.toml.

    Args:
        launch: e.g. `["mpirun", "-n", "2", "--map-by", "node"]`; the program is appended.
        directory: for the results; rank 0 must be able to write it.
        wishes: how.

    Raises:
        InputError: the program cannot be built or started, failed, or results exist.
    """
    wishes = wishes or Wishes()
    refuse_existing([directory / CLUSTER], force=wishes.force)
    started = datetime.now(timezone.utc)
    ran = run(
        BenchRequest(
            program=PROGRAM,
            launch=launch,
            arguments={
                "pairs": wishes.pairs,
                "seed": wishes.seed,
                "most": wishes.most,
                "size": wishes.size,
                "quantile": wishes.quantile,
                "precision": wishes.precision,
                "seconds": wishes.time_ns * 1e-9,
                "pin": int(wishes.pin),
            },
            mpicc=wishes.mpicc,
            force=wishes.force,
        ),
        directory,
    )
    pairs = pairs_of(ran.results, wishes.quantile, SEED)
    classes = link_classes(pairs, wishes.size)
    warnings = list(warnings_of(pairs, classes, wishes.size))
    measured = Measured(wishes, started, ran, pairs, classes, warnings, directory / CLUSTER)
    write_new(measured.cluster, cluster_text(measured), force=wishes.force)
    return measured
