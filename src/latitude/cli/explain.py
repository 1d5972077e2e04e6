"""`latitude explain`: three sentences about a result, for a merge request's comment."""

import json
import math
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from latitude.cli.outputs import Outputs, ResultOptions
from latitude.notices.saying import visible
from latitude.results.analysis import Analysis
from latitude.results.reading import read_analysis
from latitude.units.options import argument
from latitude.units.quantities import counted, format_share

_LISTED = 3


@dataclass(frozen=True, slots=True)
class Explanation:
    """The sentences, as plain text."""

    tolerance: str
    """A sentence on the θ that the program tolerates."""
    sensitivity: str
    """A sentence on the call or line to which most latencies of the critical path belong."""
    trust: str
    """A sentence on the certainty of the numbers, or on the way to better numbers."""


@dataclass(kw_only=True)
class ExplainOptions(ResultOptions):
    """The result to explain."""

    result: Path = argument(
        "result of `latitude analyze`: analysis.json, or the directory of -o", "RESULT", Path
    )


class ExplainCommand:
    """Puts a result into words."""

    description = """\
Prints three sentences about a result of `latitude analyze`: how much latency the program tolerates,
which call or line has most of its sensitivity, and how sure the numbers are."""
    example = "latitude explain result"
    options = ExplainOptions

    def run(self, arguments: ExplainOptions) -> None:
        outputs = Outputs.of(arguments)
        found = explained(read_analysis(arguments.result))
        outputs.write_json(lambda: json.dumps(asdict(found), indent=2, ensure_ascii=False) + "\n")
        if not outputs.uses_stdout():
            for sentence in asdict(found).values():
                sys.stdout.write(visible(sentence) + "\n")


def explained(result: Analysis) -> Explanation:
    """The three sentences about a result."""
    return Explanation(_tolerance(result), _sensitivity(result), _trust(result))


def _tolerance(result: Analysis) -> str:
    theta = result.theta
    program = f"The program ({counted(result.trace.ranks, 'rank')})"
    found = sorted(result.tolerance, key=lambda each: each.degradation)[:_LISTED]
    if not found:
        return f"{program} was analysed without a tolerance; analyse it with --tolerance 1%."
    more = [
        f"{format_share(each.degradation)} slower with {theta.difference(each.delta)} more"
        for each in found
        if math.isfinite(each.delta)
    ]
    never = [
        f"never {format_share(each.degradation)} slower"
        for each in found
        if not math.isfinite(each.delta)
    ]
    return (
        f"{program}, at {theta.meaning} {theta.name} = {theta.text(theta.base)}, runs "
        f"{', '.join([*more, *never[:1]])}."
    )


def _sensitivity(result: Analysis) -> str:
    latencies = {_place(row.where, row.function): row.lambda_L for row in result.by_call_site}
    latencies = latencies or {row.call: row.lambda_L for row in result.by_call}
    if not latencies:
        return "Where the latencies come from is not known: the result has no critical path."
    total = sum(latencies.values())
    if total <= 0:
        return "No message's latency is on the critical path: a little more latency costs nothing."
    first = max(latencies, key=latencies.__getitem__)
    return (
        f"{format_share(latencies[first] / total)} of the message latencies on the critical path "
        f"belong to {first}: start there."
    )


def _place(where: str, function: str | None) -> str:
    return where if function is None else f"{where} ({function})"


def _trust(result: Analysis) -> str:
    if result.model.defaults:
        names = ", ".join(result.model.defaults)
        return (
            f"The numbers are for the default {names}, not for your network: measure yours once "
            "with `latitude measure loggps`, then `latitude network use cluster.toml`."
        )
    if result.intervals is None:
        return "The numbers are exact for this trace and network; one trace shows no variation."
    unknown = "; ".join(result.intervals.not_known)
    if not unknown:
        return (
            f"The result states {format_share(result.intervals.confidence)} intervals of all "
            "numbers, by how the network was measured."
        )
    return f"The numbers are exact for this trace and network; not known: {unknown}."
