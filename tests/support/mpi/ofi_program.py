"""runtime/inject/tests/ofi_program.c under the injector: calls that MPIs seldom make."""

from support.compiling import STRICT, TESTS, built
from support.mpi.injecting import Injecting

DELAY_NS = 5_000_000
ANY_TIME = 600_000_000_000
"""Accepted lateness of messages in tests that do not check it."""


def ofi_program(injecting: Injecting, noise_ns: int) -> list[str]:
    """The words that run the program, whose exit status is the number of faults."""
    program = built("ofi_program", *STRICT, "-O1", TESTS / "ofi_program.c", "-lfabric")
    words = injecting.words("--flow", f"{DELAY_NS}ns", "--intra-node", "--force")
    return [*words, *map(str, (program, "tcp;ofi_rxm", DELAY_NS, noise_ns))]
