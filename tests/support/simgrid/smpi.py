"""Runs our MPI program online under SimGrid's smpirun, on a platform of known costs.

Debian's libsimgrid-dev brings smpicc and smpirun (tools/need-simgrid.sh). SMPI's network model
multiplies latencies and bandwidths by measured factors, limits bandwidth by a TCP window, and
starts a message only when its receive is posted. All these effects are turned off here, so that
only LogGPS remains:

    lat-factor, bw-factor, latency-factor, bandwidth-factor   1, at every size
    TCP-gamma                                                 0: no window
    weight-S, crosstraffic                                    0: no penalty for shared links
    async-small-thresh = send-is-detached-thresh              S: smaller messages go at once
    os, ois, or                                               o at both ends
    wtime, precision                                          looking at the clock costs nothing
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from latitude import _core
from support.compiling import built
from support.hanging import HANG_S

HERE = Path(__file__).parent
PROGRAM = HERE / "phases.c"
RANKS = 8


@dataclass(frozen=True)
class Platform:
    """Nodes at the same distance, or in groups of two that are further apart; times in ns."""

    latency_ns: float
    ns_per_byte: float = 0.1
    overhead_ns: float = 1_000.0
    eager_limit: int = 65_536
    contention: bool = False
    """Whether messages share the bandwidth of their nodes' links."""
    inside_ns: float | None = None
    """Latency between ranks of one node, where there are such."""
    apart_ns: float | None = None
    """Latency between the groups, where there are any; without contention."""
    clock_ns: float = 0.0
    """Cost of reading the clock, which a program that polls the clock needs."""

    def xml(self, ranks: int) -> str:
        """A route from each node to each; without contention one link that carries all at once."""
        nodes = range(ranks)
        bandwidth = f'bandwidth="{1e9 / self.ns_per_byte:.0f}Bps"'
        if self.contention:
            half = f'{bandwidth} latency="{self.latency_ns / 2:.6f}ns" sharing_policy="SHARED"'
            links = [f'<link id="{way}{i}" {half}/>' for i in nodes for way in ("out", "in")]
        else:
            latency = f'latency="{self.latency_ns:.6f}ns"'
            links = [f'<link id="all" {bandwidth} {latency} sharing_policy="FATPIPE"/>']
        if self.apart_ns is not None:
            latency = f'latency="{self.apart_ns:.6f}ns"'
            links.append(f'<link id="apart" {bandwidth} {latency} sharing_policy="FATPIPE"/>')
        hosts = [f'<host id="node{i}" speed="1Gf"/>' for i in nodes]
        routes = [
            f'<route src="node{i}" dst="node{j}" symmetrical="NO">{self._way(i, j)}</route>'
            for i in nodes
            for j in nodes
            if i != j
        ]
        if self.inside_ns is not None:
            latency = f'latency="{self.inside_ns:.6f}ns"'
            links.append(f'<link id="inside" {bandwidth} {latency} sharing_policy="FATPIPE"/>')
            way = 'symmetrical="NO"><link_ctn id="inside"/></route>'
            routes += [f'<route src="node{i}" dst="node{i}" {way}' for i in nodes]
        return "\n".join(
            [
                "<?xml version='1.0'?>",
                '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
                '<platform version="4.1"><zone id="cluster" routing="Full">',
                *hosts,
                *links,
                *routes,
                "</zone></platform>\n",
            ]
        )

    def network(self, rendezvous: str) -> _core.Network:
        """The platform as a network of Latitude."""
        return _core.Network(
            L=self.latency_ns,
            o=self.overhead_ns,
            G=self.ns_per_byte,
            S=self.eager_limit,
            rendezvous=rendezvous,
        )

    def _way(self, source: int, destination: int) -> str:
        if self.apart_ns is not None and source // 2 != destination // 2:
            return '<link_ctn id="apart"/>'
        if not self.contention:
            return '<link_ctn id="all"/>'
        return f'<link_ctn id="out{source}"/><link_ctn id="in{destination}"/>'

    def options(self) -> list[str]:
        """Settings under which SMPI's costs are these and no others."""
        o = self.overhead_ns * 1e-9
        return [
            f"--cfg={setting}"
            for setting in (
                "smpi/simulate-computation:no",
                "smpi/lat-factor:0:1",
                "smpi/bw-factor:0:1",
                "network/latency-factor:1",
                "network/bandwidth-factor:1",
                "network/TCP-gamma:0",
                "network/weight-S:0",
                "network/crosstraffic:0",
                f"smpi/wtime:{self.clock_ns * 1e-9}",
                "surf/precision:1e-12",
                f"smpi/async-small-thresh:{self.eager_limit}",
                f"smpi/send-is-detached-thresh:{self.eager_limit}",
                f"smpi/os:0:{o}:0",
                f"smpi/ois:0:{o}:0",
                f"smpi/or:0:{o}:0",
                "smpi/allreduce:rdb",
            )
        ]


def launch(platform: Platform, directory: Path, ranks: int, nodes: int) -> list[str]:
    """The words that start a program on the platform, whose files go into `directory`."""
    (directory / "platform.xml").write_text(platform.xml(nodes))
    hosts = "".join(f"node{rank * nodes // ranks}\n" for rank in range(ranks))
    (directory / "hosts").write_text(hosts)
    words = ["smpirun", "-np", str(ranks), "-platform", str(directory / "platform.xml")]
    words += ["-hostfile", str(directory / "hosts"), "--log=root.thresh:error"]
    return [*words, *platform.options()]


class Smpi:
    """The program, compiled for the simulator, in a directory of its own."""

    def __init__(self, directory: Path, ranks: int = RANKS) -> None:
        self._directory, self.ranks = directory, ranks
        self._binary = built("phases", "-O1", "-DSIMULATED", PROGRAM, compiler="smpicc")

    def measure(self, platform: Platform) -> float:
        """Simulated time of the slowest rank, ns."""
        return max(float(line) for line in self._smpirun(platform).split())

    def trace(self, platform: Platform) -> list[str]:
        """The program's calls in SimGrid's time-independent format, one text a rank."""
        listing = self._directory / "run.ti"
        self._smpirun(platform, "-trace-ti", "-trace-file", str(listing))
        names = listing.read_text().split()
        return [(self._directory / name).read_text() for name in names]

    def _smpirun(self, platform: Platform, *more: str) -> str:
        command = launch(platform, self._directory, self.ranks, self.ranks)
        return _run([*command, *more, str(self._binary)], self._directory)


def _run(command: list[str], directory: Path) -> str:
    done = subprocess.run(
        command, cwd=directory, capture_output=True, text=True, check=False, timeout=HANG_S
    )
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} failed:\n{done.stderr}{done.stdout}")
    return done.stdout
