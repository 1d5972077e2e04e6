"""Results of the engine, and what the verifier says of them or of what was made of them."""

import json
from pathlib import Path
from typing import Any

from latitude.analysis.analyze import analyze
from latitude.analysis.answer import CRITICAL, question
from latitude.analysis.verify.claims import Verifier
from latitude.analysis.verify.held import AskedAnalysis
from latitude.analysis.verify.stated import read_stated
from latitude.files.progress import Silent
from latitude.model.network import Network
from latitude.model.theta import TOLERANCES
from latitude.trace.program import Program


def analysed(
    program: Program, network: Network, sweep: str = "L", critical: int | None = CRITICAL
) -> dict[str, Any]:
    """What `latitude analyze` writes."""
    found = analyze(program, network, sweep=sweep, critical=critical)
    written: dict[str, Any] = json.loads(found.to_json())
    return written


def verified(
    result: dict[str, Any], program: Program, network: Network, sweep: str, directory: Path
) -> Verifier:
    """The verifier of a result, its work done."""
    path = directory / "analysis.json"
    path.write_text(json.dumps(result))
    theta, interval = question(network, network.links(program.ranks), None, sweep)
    asked = AskedAnalysis(theta, interval, TOLERANCES, ())
    verifier = Verifier(read_stated(path), program, network, asked)
    verifier.run(Silent())
    return verifier
