"""The command line of `python tests/support/hosts`."""

import argparse
from dataclasses import dataclass

DESCRIPTION = """\
Hosts on this machine, each with a name, a network, shared memory, cores and a clock of its own.

    python tests/support/hosts 4 --rate 200mbit -- mpirun -n 8 ./app

COMMAND runs on the first of them; `mpirun` of Open MPI and `mpiexec` of MPICH span all of them
without an option. Nothing is left behind, however it ends: hosts are namespaces of the kernel,
which go with the process that made them.
"""


@dataclass(frozen=True)
class Options:
    """Options of the hosts."""

    command: list[str]
    rates: list[str]
    """Rate of the link to each host, in tc's words; empty: as fast as this machine copies."""
    slots: int
    """Ranks a launcher puts on a host before the next."""
    delay: str
    """Delay of each packet between hosts, as for `latitude inject --ip`; empty: none."""
    share_cores: bool
    """Every host has all cores of this machine, not some for itself."""


def parsed(words: list[str]) -> Options:
    """Ends the process with one line when the words are wrong."""
    parser = argparse.ArgumentParser(
        prog="hosts",
        usage="%(prog)s COUNT [--rate RATE[,RATE...]] [--delay TIME] [--slots N] [--share-cores] "
        "-- COMMAND ...",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("count", type=int, help="they are called node1, node2 ...")
    parser.add_argument(
        "--rate", default="", help="of the link to each host: 100mbit, in tc's words"
    )
    parser.add_argument(
        "--delay",
        default="",
        help="packets between hosts take so much longer, by latitude inject --ip",
    )
    parser.add_argument("--slots", type=int, default=1, help="ranks on a host (default: 1)")
    parser.add_argument("--share-cores", action="store_true", help="all hosts have all cores")
    dashes = words.index("--") if "--" in words else len(words)
    arguments = parser.parse_args(words[:dashes])
    command = words[dashes + 1 :]
    if not command:
        parser.error("give a command: hosts 2 -- hostname")
    rates = arguments.rate.split(",")
    if len(rates) == 1:
        rates *= arguments.count
    if len(rates) != arguments.count or not rates:
        parser.error(f"{len(rates)} rates for {arguments.count} hosts")
    return Options(command, rates, arguments.slots, arguments.delay, arguments.share_cores)
