"""`latitude trace` and srun, salloc, sbatch of a real Slurm that the test starts itself.

Six slurmd on this host look like six nodes: what a launcher does not hand on does not arrive.
"""

import pytest

from support.mpi.tracing import Tracing, said


@pytest.mark.parametrize("side", ["left", "right", "exporting nothing"])
def test_srun_traces_every_rank(tracing: Tracing, slurm: dict[str, str], side: str) -> None:
    program = tracing.mpi.program("behave.c")
    if side == "right":
        words = [*tracing.mpi.srun(4), *tracing.words(program)]
    else:
        option = ["--export=NONE"] if side == "exporting nothing" else []
        words = tracing.words(*tracing.mpi.srun(4), *option, program)
    done = tracing.start(words, slurm)
    assert done.returncode == 0, done.stderr
    assert [(file.rank, file.ranks, file.calls) for file in tracing.files()] == [
        (rank, 4, 22) for rank in range(4)
    ]
    summary, following = said(done)
    assert summary.startswith("latitude: run: 4 ranks, 88 MPI calls")
    assert following == "Next: latitude analyze run"


def test_a_launcher_in_an_allocation_reaches_its_other_node(
    tracing: Tracing, slurm: dict[str, str]
) -> None:
    program = tracing.mpi.program("behave.c")
    spread = "--map-by" if tracing.mpi.name == "openmpi" else "-ppn"
    launcher, *rest = tracing.mpi.run(2, program, "environment")
    words = [launcher, spread, "node" if spread == "--map-by" else "1", *rest]
    salloc = ["salloc", "--quiet", "-N", "2", "-n", "2"]
    done = tracing.start([*salloc, *tracing.words(*words)], slurm)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["0 - traced", "1 - traced"]
    assert len(tracing.files()) == 2


def test_a_batch_script_is_not_taken_for_a_rank(tracing: Tracing, slurm: dict[str, str]) -> None:
    """Slurm gives it SLURM_PROCID=0."""
    program = tracing.mpi.program("behave.c")
    script = tracing.directory / "job.sh"
    words = " ".join(tracing.words(*tracing.mpi.run(2, program)))
    script.write_text(f"#!/bin/sh\ntest $SLURM_PROCID = 0 || exit 9\n{words}\n")
    done = tracing.start(["sbatch", "--wait", "-n", "2", "-o", "out", str(script)], slurm)
    out = (tracing.directory / "out").read_text()
    assert done.returncode == 0, out
    assert "latitude: run: 2 ranks, 44 MPI calls" in out
    assert tracing.described()["complete"] is True
