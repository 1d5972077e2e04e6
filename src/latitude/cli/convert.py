"""`latitude convert`: traces and GOAL files to GOAL, traces to the formats of other tools."""

import sys
from dataclasses import dataclass
from pathlib import Path

from latitude import _core
from latitude._core import InputError
from latitude.analysis.arrivals import matched
from latitude.cli import options, progress
from latitude.cli.options import GraphOptions
from latitude.files.writing import (
    STDOUT,
    fill_stream,
    refuse_directory,
    refuse_existing,
    replace_directory,
    replace_with,
)
from latitude.model.default_network import network_or_default
from latitude.model.network import Network
from latitude.notices.kinds import from_core
from latitude.notices.notice import Notice
from latitude.notices.saying import say, warn
from latitude.trace.formats import formats
from latitude.trace.load import load, load_trace
from latitude.trace.places import look_up
from latitude.units.options import argument, flag, option
from latitude.units.quantities import counted, parse_size

_GRAPH_FORMATS = {form.name: form for form in _core.graph_formats()}
_TEXT = "goal"
TRACE_FORMATS = {form.name: form for form in formats() if form.writes}


@dataclass(kw_only=True)
class ConvertOptions(GraphOptions):
    """An input file and an output file."""

    input: Path = argument("trace or GOAL file", "IN", Path)
    output: Path = argument(
        "file or directory to write, or - for GOAL on standard output", "OUT", Path
    )
    to: str | None = option(
        "format to write (default: by the suffix of OUT)", choices=[*_GRAPH_FORMATS, *TRACE_FORMATS]
    )
    S: int = option(
        "eager limit of the modelled run, because GOAL must state the points at which larger "
        "messages block their sender (default: 256KiB)",
        "SIZE",
        lambda text: parse_size(text, "S"),
        default=Network().S,
    )
    force: bool = flag("overwrite OUT if it exists")


class ConvertCommand:
    """Writes an execution graph in a format of other tools."""

    description = """\
Reads a trace or a GOAL file and writes its execution graph. The suffix of OUT picks the format:
.goal is GOAL text, .bin (also .goal.bin) GOAL binary. An OUT without suffix is a directory for
liballprof text, one file per rank, as Schedgen and LLAMP read it: for traces of latitude trace. An
OUT that ends in .otf2 is a directory for an OTF2 archive, as Vampir, Score-P's tools and others
read it: for traces of any format."""
    example = "latitude convert trace.tar.xz program.goal"
    options = ConvertOptions

    def run(self, arguments: ConvertOptions) -> None:
        output: Path = arguments.output
        form = arguments.to or _format_of(output)
        if form in TRACE_FORMATS:
            _write_trace(arguments, TRACE_FORMATS[form])
            return
        if output != STDOUT:
            refuse_existing([output], force=arguments.force)
        elif form != _TEXT and sys.stdout.isatty():
            raise InputError(
                "-: standard output is a terminal; pipe the output into a command, or name a file"
            )
        with progress.shown() as display:
            program = load(arguments.input, **options.loading(arguments), progress=display)
            program = matched(program, network_or_default(None))
            display.stage("Writing GOAL")

            def write(path: Path) -> None:
                _GRAPH_FORMATS[form].write(program.graph, str(path), arguments.S)

            if output == STDOUT:
                fill_stream(sys.stdout.buffer, write, output)
            else:
                replace_with(output, write, force=arguments.force)
        graph = program.graph
        where = "standard output" if output == STDOUT else output
        _report(
            f"{where}: {counted(graph.ranks, 'rank')}, {counted(graph.vertices, 'operation')}, "
            f"{counted(graph.messages, 'message')}; collectives: {program.collectives}",
            program.warnings,
        )


def _write_trace(arguments: ConvertOptions, form: _core.Format) -> None:
    output: Path = arguments.output
    if problem := form.problem():
        raise InputError(f"{output}: {form.name} cannot be written here: {problem}")
    refuse_directory(output, form.written, force=arguments.force)
    with progress.shown() as display:
        trace = load_trace(
            arguments.input,
            threads=arguments.threads,
            progress=display,
            **options.reading(arguments),
        )
        warnings = from_core(trace.warnings)
        if form.keeps_places:
            display.stage("Looking call sites up")
            warnings += look_up(trace)
        display.stage(f"Writing {form.name}")
        replace_directory(
            output,
            form.written,
            lambda path: warnings.extend(
                from_core(form.write(trace, str(path), arguments.threads))
            ),
            force=arguments.force,
        )
    said = f"{output}: {counted(trace.ranks, 'rank')}, {counted(trace.events, 'call')}"
    _report(said, warnings)


def _report(summary: str, warnings: list[Notice]) -> None:
    say(summary)
    warn(warnings)


def _format_of(output: Path) -> str:
    if output == STDOUT:
        return _TEXT
    known = {form.suffix: form.name for form in _GRAPH_FORMATS.values()}
    known |= {form.folder_suffix: form.name for form in TRACE_FORMATS.values()}
    if output.suffix in known:
        return known[output.suffix]
    raise InputError(
        f"{output}: unknown format '{output.suffix}'; name it .goal for GOAL text, .bin for "
        "GOAL binary or .otf2 for an OTF2 archive, give a directory for liballprof text, or name "
        "the format with --to"
    )
