"""A result's claims, each held against what is proved of the program."""

from fractions import Fraction
from pathlib import Path

from latitude.analysis.verify import at_baseline, of_efficiency, over_theta
from latitude.analysis.verify.exact import RuntimePieces
from latitude.analysis.verify.held import AskedAnalysis, Held, rounding
from latitude.analysis.verify.ledger import Ledger
from latitude.analysis.verify.stated import Stated
from latitude.files.progress import Progress
from latitude.model.network import Network
from latitude.model.theta import theta_of
from latitude.results.verification import Certificate
from latitude.trace.program import Program

NOT_VERIFIED = (
    "trace", "efficiency.traced", "what_if", "critical_path", "by_rank", "waits", "by_call",
    "by_call_site", "pairs", "slack", "near_paths", "warnings",
)  # fmt: skip
"""Fields that say more of one critical path, of messages, or of the run."""


class Verifier:
    """A program on a network, and the claims of a result about it."""

    def __init__(
        self, stated: Stated, program: Program, network: Network, question: AskedAnalysis
    ) -> None:
        self.held = Held(stated, program, network, question)
        self.corners = 0

    def run(self, progress: Progress) -> Ledger:
        """Holds all claims against what is proved."""
        held = self.held
        at_baseline.assumptions(held)
        at_baseline.sizes(held)
        progress.stage("Proving the runtime")
        latency = theta_of("L", held.network, held.links)
        runtime = held.graph.along(latency)
        at_baseline.baseline(held, latency, runtime)
        at_baseline.parts(held, runtime.at(Fraction(latency.base)))
        if held.theta.name != "L":
            runtime = held.graph.along(held.theta)
        at_baseline.sensitivity(held, runtime)
        progress.stage("Proving tolerances")
        over_theta.interval(held)
        over_theta.tolerances(held, runtime)
        progress.stage("Proving critical values")
        interval, listed = held.stated.of_theta.interval, over_theta.listed(held)
        if 0 <= interval.low <= listed <= interval.high:
            low, until = Fraction(interval.low), Fraction(listed)
            beside = 2 * rounding(runtime.at(until))  # what may tie with the ends
            pieces = RuntimePieces.of(runtime, max(low - beside, Fraction(0)), until + beside)
            self.corners = sum(low < corner < until for corner in pieces.corners)
            over_theta.curve(held, runtime, pieces, until)
            over_theta.breakpoints(held, pieces, low, until)
            over_theta.beyond(held, runtime, until)
        progress.stage("Proving efficiencies")
        of_efficiency.efficiency(held, runtime)
        return held.ledger

    def certificate(self, path: Path, *, force: bool) -> Certificate:
        """Writes what proves T of the network as it is."""
        from latitude.analysis.verify.certificate import (  # noqa: PLC0415 - needs HiGHS, an extra
            write_certificate,
        )

        held = self.held
        latency = theta_of("L", held.network, held.links)
        runtime = held.graph.along(latency)
        rows = held.graph.rows
        return write_certificate(rows, runtime, held.core, latency.base, path, force=force)
