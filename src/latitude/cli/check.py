"""`latitude check`: a gate for CI."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.analysis.analyze import analyze
from latitude.analysis.changes import ALONE, MARGIN, too_few
from latitude.analysis.demands import (
    Demand,
    EfficiencyDemand,
    ToleranceDemand,
    verdicts,
)
from latitude.analysis.over_runs import over_runs
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
from latitude.results.over_runs import LEAST_RUNS
from latitude.results.reading import is_result, read_called_by_file
from latitude.units.options import argument, option
from latitude.units.quantities import parse_fraction

_FAILED = 1


@dataclass(kw_only=True)
class CheckOptions(ReplayedOptions, ResultOptions):
    """Demands on results or traces."""

    one_run = False
    input: list[Path] = argument(
        "trace, GOAL file, or analysis.json (or its directory); several inputs are runs of one "
        "program",
        "INPUT",
        Path,
        count="+",
    )
    tolerance: list[ToleranceDemand] = option(
        "extra latency that must not slow the program by more than a share, e.g. '5us at "
        "1%'; may be repeated",
        "'TIME at SHARE'",
        ToleranceDemand.parse,
        topic="demands",
        repeated=True,
    )
    efficiency: list[EfficiencyDemand] = option(
        "least share that an efficiency must reach. NAME is parallel, load_balance, communication, "
        "serialisation or transfer, e.g. 'transfer >= 0.95 at L=10us'; may be repeated",
        "'NAME >= SHARE'",
        EfficiencyDemand.parse,
        topic="demands",
        repeated=True,
    )
    not_worse_than: list[Path] = option(
        "trace or analysis.json of an earlier run: runtime, tolerances, and each "
        "function's computation; may be repeated for several runs",
        "FILE",
        Path,
        topic="demands",
        repeated=True,
    )
    margin: float | None = option(
        "share by which the run may be worse than FILE, beyond the spread of runs (default: "
        f"{100 * MARGIN:g}%, or {100 * ALONE:g}% if a side has fewer than {LEAST_RUNS} runs)",
        "SHARE",
        lambda text: parse_fraction(text, "margin", "1%"),
        topic="demands",
    )
    junit: Path | None = option("write the verdicts as JUnit XML", "FILE", Path)
    markdown: Path | None = option("write the verdicts as a Markdown table", "FILE", Path)


class CheckCommand:
    """Checks demands on a trace or a result of analyze; the exit status tells if all hold."""

    description = """\
Checks demands on a program's latency tolerance and efficiencies. Compares it with an earlier run or
result. The exit status is 0 if all demands hold, 1 if one does not, and 2 if the input is wrong.
INPUT and the earlier run are traces, GOAL files, or results of analyze (analysis.json, or its
directory)."""
    example = "latitude check examples/two-ranks.goal --tolerance '1us at 50%'"
    options = CheckOptions

    def run(self, arguments: CheckOptions) -> None:
        demands: list[Demand] = [*arguments.tolerance, *arguments.efficiency]
        earlier = arguments.not_worse_than
        if not demands and not earlier:
            raise InputError(
                "nothing to check; give --tolerance '5us at 1%', --efficiency 'transfer >= 0.95', "
                "or --not-worse-than FILE"
            )
        texts = [(arguments.junit, junit), (arguments.markdown, markdown)]
        files = [path for path, _ in texts if path is not None]
        outputs = Outputs.of(arguments, others=files)
        old = _known(earlier, arguments, demands, None) if earlier else None
        known = _known(arguments.input, arguments, demands, old)
        found = verdicts(known, demands, old, arguments.margin)
        checked = Checked(
            provenance=Provenance(
                **of_this_run(),
                input=_names(arguments.input),
                input_sha256=known.provenance.input_sha256,
                program=known.provenance.program,
            ),
            against=_names(earlier) if earlier else None,
            failed=sum(not verdict.holds for verdict in found),
            verdicts=found,
            warnings=[] if old is None else too_few(old, known),
        )
        for path, text in texts:
            if path is not None:
                write_new(path, text(checked), force=arguments.force)
        outputs.give(check_document(checked))
        if not checked.holds:
            raise SystemExit(_FAILED)


def _names(paths: Sequence[Path]) -> str:
    return ", ".join(map(str, paths))


def _known(
    paths: Sequence[Path], arguments: CheckOptions, demands: list[Demand], old: Analysis | None
) -> Analysis:
    """The analysis of a program over all its runs."""
    return over_runs([_run(path, arguments, demands, old) for path in paths], list(map(str, paths)))


def _run(
    path: Path, arguments: CheckOptions, demands: list[Demand], old: Analysis | None
) -> Analysis:
    """The analysis of one run, read or computed."""
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
    """An interval wide enough for all demands; None if no demand names a value of θ."""
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
