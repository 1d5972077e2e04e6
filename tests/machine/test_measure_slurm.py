"""`latitude measure` and srun of a real Slurm that the test starts itself."""

import signal
from pathlib import Path

from latitude.samples import read_samples
from support.mpi.library import openmpi
from support.mpi.measuring import Measuring, left_behind


def test_srun_starts_and_ends_it_and_b_is_that_of_its_queue(
    builds: Path, slurm: dict[str, str], tmp_path: Path
) -> None:
    measuring = Measuring(openmpi(builds), tmp_path, slurm)
    measuring.run("barrier", 2, "--iterations", 50, "--warmup", 5)
    samples = read_samples(measuring.out)
    assert len(samples) == 50
    assert (samples["b_before"] == 0).all()  # nothing else runs
    done = measuring.interrupted(signal.SIGINT, b"flowing", "load", 2, "--peak", "100MB/s")
    assert done.returncode == 0, done.stderr
    assert measuring.json("load.json")["pairs"][0]["messages"] > 0
    assert left_behind("load", measuring.out) == []
