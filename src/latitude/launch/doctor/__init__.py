"""`latitude doctor`: what this machine offers, what is missing, and what that costs."""

from collections.abc import Callable, Iterator

from latitude.launch.doctor import injector, libraries, machine, mpis, slurm, verbs
from latitude.launch.doctor.finding import Finding

_CHECKS: tuple[Callable[[], Iterator[Finding]], ...] = (
    mpis.libraries,
    mpis.launchers,
    injector.flow,
    verbs.verbs,
    slurm.slurm,
    machine.rdma,
    machine.processor,
    libraries.symbols,
    libraries.packages,
)


def examine() -> list[Finding]:
    """All findings, in the order they are shown."""
    return [finding for check in _CHECKS for finding in check()]
