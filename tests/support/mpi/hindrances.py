"""Programs and places that a preloaded library cannot get into, or write to."""

import os
import shlex
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path

from support.compiling import built, written
from support.hanging import HANG_S

WITHOUT_MPI = (
    "sh",
    "-c",
    f'echo hello; [ "${{OMPI_COMM_WORLD_RANK:-0}}" = 0 ] || exec sleep {HANG_S}; exit 5',
)
"""No MPI program, which fails. Open MPI kills all ranks once one has: that is rank 0 here, which
may have to report, so the others wait for it."""


def static_program() -> Path:
    """A statically linked program that succeeds."""
    return built("static", "-static", written("static.c", "int main(void) { return 0; }\n"))


_BARRIER = """#include <mpi.h>
int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Finalize();
}
"""


def sanitized_program(mpicc: str) -> Path:
    """A program whose address sanitizer must be loaded before all else."""
    words = ("-fsanitize=address", written("sanitized.c", _BARRIER))
    return built("sanitized", *words, compiler=mpicc)


def privileged_copy(program: Path, directory: Path) -> Path:
    """A copy of the program with set-user-ID rights."""
    copy = directory / "privileged"
    shutil.copy(program, copy)
    copy.chmod(0o755 | stat.S_ISUID)
    return copy


def on_a_small_disk(words: Sequence[str], directory: Path) -> list[str]:
    """The words that run `words` with a tmpfs of 256 KiB at `directory`/run.

    In a mount namespace of its own, gone with the command; what it held is then in `run`.
    """
    (directory / "run").mkdir()
    inner = shlex.join(words)
    script = (
        f"mount -t tmpfs -o size=256k none run && {inner}; status=$?; cp -r run kept; "
        "umount run; rmdir run; mv kept run; exit $status"
    )
    namespace = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
    return [*namespace, "sh", "-c", script]
