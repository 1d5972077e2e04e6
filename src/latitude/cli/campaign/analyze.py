"""`latitude campaign analyze`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from latitude._core import InputError
from latitude.cli import options, progress
from latitude.cli.options import ReplayedOptions
from latitude.cli.outputs import Outputs, ResultOptions, csv_option, directory_option
from latitude.units.options import argument, option

if TYPE_CHECKING:
    from latitude.lab.campaign.description import CampaignFile
    from latitude.lab.results.campaign import CampaignAnalysis, PredictedProgram

_TOML = ".toml"


@dataclass(kw_only=True)
class CampaignAnalyzeOptions(ResultOptions, ReplayedOptions):
    """A campaign, and traces for its prediction."""

    one_run = False
    campaign: Path = argument("the campaign's directory or file", "DIR|FILE.toml", Path)
    trace: list[str] = option(
        "trace of a program without injection, from which to predict its levels with the "
        "options below; may be repeated for several programs",
        "PROGRAM=TRACE",
        repeated=True,
    )
    directory: Path | None = directory_option("campaign.html, campaign.json and campaign.csv")
    csv: Path | None = csv_option("a row per run")


class CampaignAnalyze:
    """Evaluates a campaign's runs by the suites of Underwood et al. 2018."""

    name = "analyze"
    summary = "show the results of a campaign's runs: the suites of Underwood et al. in one page"
    description = """\
Reads the runs of a campaign, finished or not. Shows runtime against mean latency, ΔL and load, and
whether runtime correlates more with the variation of latency or with its mean (Underwood et al.,
ICPE'18, §6 and §7). Reports drift, failures and outliers. With traces of the programs it predicts
every level from the execution graph, and compares this with the measurement. Before the first run,
it predicts the whole campaign."""
    example = "latitude campaign analyze suite -o answer"
    options = CampaignAnalyzeOptions

    def run(self, arguments: CampaignAnalyzeOptions) -> None:
        outputs = Outputs.of(arguments, "campaign.html", "campaign.json", "campaign.csv")
        traces = dict(map(_named, arguments.trace))
        from latitude.experiments.record import run_files  # noqa: PLC0415 - slow to import
        from latitude.lab.campaign.suites.analyse import (  # noqa: PLC0415 - as above
            analyse_directory,
            with_predictions,
        )
        from latitude.lab.documents.campaign import campaign_document  # noqa: PLC0415 - as above

        file = _file(arguments.campaign)
        directory = arguments.campaign if file is None else file.directory
        if traces and not run_files(directory, failures=True):
            outputs.give(campaign_document(_drawn(arguments, file, traces)))
            return
        result = analyse_directory(directory)
        if traces:
            predicted = _predicted(arguments, directory, result, traces)
            result = with_predictions(result, predicted)
        outputs.give(campaign_document(result))


def _file(path: Path) -> "CampaignFile | None":
    """The campaign's file; None if `path` is the campaign's directory."""
    if path.suffix != _TOML or path.is_dir():
        return None
    from latitude.lab.campaign.read import read_campaign  # noqa: PLC0415 - as above

    return read_campaign(path)


def _named(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise InputError(f"--trace: '{text}' names no program; write e.g. halo=traces/halo")
    return name, Path(path)


def _check_names(traces: dict[str, Path], known: set[str]) -> None:
    if unknown := [name for name in traces if name not in known]:
        raise InputError(
            f"--trace: unknown program '{unknown[0]}' in this campaign, but "
            f"{', '.join(sorted(known))}"
        )


def _drawn(
    arguments: CampaignAnalyzeOptions, file: "CampaignFile | None", traces: dict[str, Path]
) -> "CampaignAnalysis":
    """A campaign without runs, as predicted."""
    from latitude.lab.campaign.directory import Directory  # noqa: PLC0415 - as above
    from latitude.lab.campaign.plan import plan  # noqa: PLC0415 - as above
    from latitude.lab.campaign.suites.predict import predicted_campaign  # noqa: PLC0415 - as above

    planned = Directory.opened(arguments.campaign).plan if file is None else plan(file)
    _check_names(traces, {each.name for each in planned.campaign.programs})
    network = options.network_of(arguments)
    with progress.shown() as display:
        programs = {
            name: options.loaded(trace, arguments, network, display)
            for name, trace in traces.items()
        }
        return predicted_campaign(planned, programs, network, threads=arguments.threads)


def _predicted(
    arguments: CampaignAnalyzeOptions,
    directory: Path,
    result: "CampaignAnalysis",
    traces: dict[str, Path],
) -> dict[str, "PredictedProgram"]:
    from latitude.lab.campaign.directory import Directory  # noqa: PLC0415 - as above
    from latitude.lab.campaign.suites.predict import predict  # noqa: PLC0415 - as above

    _check_names(traces, {each.program for each in result.programs})
    network = options.network_of(arguments)
    levels = Directory.opened(directory).plan.campaign.levels
    tables = {each.name: each.table.values.astype(float) for each in levels if each.table}
    found = {}
    with progress.shown() as display:
        for measured in result.programs:
            if measured.program in traces:
                trace = traces[measured.program]
                program = options.loaded(trace, arguments, network, display)
                found[measured.name] = predict(
                    measured, program, network, tables, threads=arguments.threads
                )
    return found
