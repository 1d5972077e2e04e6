"""Large messages under injected latency cost every latency of the protocol that moves them."""

import pytest

from support.mpi.injecting import Injecting

MS = 1_000_000
LARGE = 512 * 1024
_TRIES = 3


@pytest.mark.measures
@pytest.mark.parametrize(
    ("transports", "latencies"),
    [
        ("tcp,self", 5),  # request, answer, data put, acknowledgement, notice
        ("posix,cma,self", 3),  # request, data asked for and got
        ("posix,self", 3),  # request, answer, data
    ],
)
def test_half_a_round_trip(injecting: Injecting, transports: str, latencies: int) -> None:
    """The least of many, as other programs share the cores."""
    program = injecting.mpi.program("pingpong.c")
    gained: list[float] = []
    for _ in range(_TRIES):
        words = (program, injecting.directory / "run", 1, LARGE, 0, 1 * MS)
        done = injecting.flow("0", 2, *words, environment={"UCX_TLS": transports})
        none, late = (float(line.split()[1]) for line in done.stdout.splitlines())
        gained.append((late - none) / MS)
        if gained[-1] == pytest.approx(latencies, abs=0.15):
            return
    pytest.fail(f"{gained} latencies instead of {latencies}")
