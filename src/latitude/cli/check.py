"""`latitude check`: a gate for CI."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.analysis.analyze import analyze
from latitude.analysis.demands import (
    MARGIN,
    Demand,
    EfficiencyDemand,
    ToleranceDemand,
    verdicts,
)
from latitude.cli import options, progress
from latitude.cli.options import ReplayedOptions
from latitude.cli.outputs import Outputs, ResultOptions
from latitude.files.provenance import Provenance, of_this_run
from latitude.files.writing import write_new
from latitude.model.network import Network
from latitude.model.theta import TOLERANCES, Sweep, default_name, theta_of
from latitude.render.documents.check import check_document, junit, markdown
from latitude.results.analysis import Analysis
from latitude.results.check import Checked
from latitude.results.reading import is_result, read_called_by_file
from latitude.units.options import argument, option
from latitude.units.quantities import parse_fraction

_FAILED = 1


@dataclass(kw_only=True)
class CheckOptions(ReplayedOptions, ResultOptions):
    """Demands, and what they are made on."""

    input: Path = argument("trace, GOAL file, or analysis.json (or its directory)", "INPUT", Path)
    tolerance: list[ToleranceDemand] = option(
        "extra latency that must not make it slower than that, e.g. '5us at 1%'; may be repeated",
        "'TIME at SHARE'",
        ToleranceDemand.parse,
        topic="demands",
        repeated=True,
    )
    efficiency: list[EfficiencyDemand] = option(
        "parallel, load_balance, communication, serialisation or transfer, e.g. "
        "'transfer >= 0.95 at L=10us'; may be repeated",
        "'NAME >= SHARE'",
        EfficiencyDemand.parse,
        topic="demands",
        repeated=True,
    )
    not_worse_than: Path | None = option(
        "trace or analysis.json of an earlier run: runtime, tolerances, and each "
        "function's computation",
        "FILE",
        Path,
        topic="demands",
    )
    margin: float = option(
        f"by which share it may be worse than that (default: {100 * MARGIN:g}%)",
        "SHARE",
        lambda text: parse_fraction(text, "margin", "1%"),
        default=MARGIN,
        topic="demands",
    )
    junit: Path | None = option("write the verdicts as JUnit XML", "FILE", Path)
    markdown: Path | None = option("write the verdicts as a Markdown table", "FILE", Path)


class CheckCommand:
    """Demands on a trace or on a result of analyze; the exit status says whether all hold."""

    description = """\
Holds a program to demands on its latency tolerance and its efficiencies, and to what an earlier run
or result of it was. Exit status: 0 when all hold, 1 when one does not, 2 when the input is wrong.
INPUT and the earlier run are traces, GOAL files, or what analyze wrote: analysis.json, or its
directory."""
    example = "latitude check examples/two-ranks.goal --tolerance '1us at 50%'"
    options = CheckOptions

    def run(self, arguments: CheckOptions) -> None:
        demands: list[Demand] = [*arguments.tolerance, *arguments.efficiency]
        earlier: Path | None = arguments.not_worse_than
        if not demands and earlier is None:
            raise InputError(
                "nothing to check; give --tolerance '5us at 1%', --efficiency 'transfer >= 0.95', "
                "or --not-worse-than FILE"
            )
        texts = [(arguments.junit, junit), (arguments.markdown, markdown)]
        files = [path for path, _ in texts if path is not None]
        outputs = Outputs.of(arguments, others=files)
        old = None if earlier is None else _known(earlier, arguments, demands, None)
        known = _known(arguments.input, arguments, demands, old)
        found = verdicts(known, demands, old, arguments.margin)
        checked = Checked(
            provenance=Provenance(
                **of_this_run(),
                input=str(arguments.input),
                input_sha256=known.provenance.input_sha256,
                program=known.provenance.program,
            ),
            against=None if earlier is None else str(earlier),
            failed=sum(not verdict.holds for verdict in found),
            verdicts=found,
            warnings=[],
        )
        for path, text in texts:
            if path is not None:
                write_new(path, text(checked), force=arguments.force)
        outputs.give(check_document(checked))
        if not checked.holds:
            raise SystemExit(_FAILED)


def _known(
    path: Path, arguments: CheckOptions, demands: list[Demand], old: Analysis | None
) -> Analysis:
    """What is known of a program: read, or found out."""
    if is_result(path):
        return read_called_by_file(path)
    network = options.network_of(arguments, path)
    shares = {each.degradation for each in arguments.tolerance} | set(TOLERANCES)
    if old is not None:
        shares |= {each.degradation for each in old.tolerance if math.isfinite(each.degradation)}
    with progress.shown() as display:
        program = options.loaded(path, arguments, network, display)
        return analyze(
            program,
            network,
            sweep=_sweep(network.placed_as(path), program.ranks, demands),
            tolerance=sorted(shares),
            threads=arguments.threads,
            progress=display,
        )


def _sweep(network: Network, ranks: int, demands: Iterable[Demand]) -> Sweep | None:
    """So wide that all demands lie inside; None where none names a place."""
    places = [
        (each.theta, each.value)
        for each in demands
        if isinstance(each, EfficiencyDemand) and each.theta and each.value is not None
    ]
    if not places:
        return None
    names = sorted({name for name, _ in places})
    if len(names) > 1:
        raise InputError(
            f"efficiency: the demands are about {' and '.join(names)}; check one of them at a time"
        )
    theta = theta_of(names[0] or default_name(network), network, network.links(ranks))
    values = [value for _, value in places]
    low, high = theta.default_interval(values)
    return Sweep(theta.name, (min(low, *values), max(high, *values)))
