"""Findings of `latitude doctor`: parts that this machine has, and the cost of each missing part."""

from collections.abc import Callable, Iterator

from latitude.files.provenance import made_now
from latitude.launch.doctor import injector, libraries, machine, mpis, network, slurm, verbs
from latitude.results.doctor import Examination, Finding

_CHECKS: tuple[Callable[[], Iterator[Finding]], ...] = (
    mpis.libraries,
    mpis.launchers,
    injector.flow,
    injector.relay,
    verbs.verbs,
    network.default_network,
    slurm.slurm,
    machine.rdma,
    machine.processor,
    libraries.symbols,
    libraries.trace_formats,
    libraries.packages,
)


def examine() -> Examination:
    """All findings, in the order of their display."""
    found = tuple(finding for check in _CHECKS for finding in check())
    return Examination(provenance=made_now(), findings=found)
