"""`latitude background around`: b before and after a command."""

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latitude._core import InputError
from latitude.cli import plain_options
from latitude.cli.background.queue import Meter, SavedQueueOptions
from latitude.cli.outputs import Outputs, ResultOptions
from latitude.cli.plain_options import CommandOptions, unit_option
from latitude.lab.cluster.around import THRESHOLD, run_around
from latitude.lab.results.background import BackgroundAround
from latitude.notices.saying import say
from latitude.render.terminal import print_warnings, results_console
from latitude.units.options import flag, option, whole
from latitude.units.quantities import format_share, parse_fraction, parse_size

if TYPE_CHECKING:
    import pandas as pd

_NODE_LIST = "SLURM_JOB_NODELIST"


@dataclass(kw_only=True)
class AroundOptions(CommandOptions, SavedQueueOptions, ResultOptions):
    """A command, and the rule by which its b is recorded."""

    threshold: float = option(
        "keep b if it changes by less than this (default: 5%)",
        "SHARE",
        lambda text: parse_fraction(text, "threshold", "5%"),
        default=THRESHOLD,
        topic="the rule",
    )
    relative: bool = flag(
        "--threshold is a share of b before the command, not percentage points", topic="the rule"
    )
    collective: str | None = option(
        "name of the operation (default: the command's name)",
        "NAME",
        topic="labels of the run in the history",
    )
    size: int | None = option(
        "message size, e.g. 1MiB", "SIZE", parse_size, topic="labels of the run in the history"
    )
    ranks: int | None = option(
        "ranks", "N", whole("a number of ranks", 1), topic="labels of the run in the history"
    )
    placement: str | None = option(
        "locality of the nodes, e.g. 'same island' (default: that of this job, if Slurm knows its "
        "switches)",
        "TEXT",
        topic="labels of the run in the history",
    )
    directory: Path | None = option(
        "add the run to a history in DIR", "DIR", Path, topic="the rule", spelled="-o"
    )
    samples: Path | None = option(
        "file of latencies that the command writes", "FILE", Path, topic="samples"
    )
    unit: str | None = unit_option(topic="samples")


class Around:
    """Runs a command and records its b."""

    name = "around"
    summary = "run a command and measure b before and after; keep b if it stayed the same"
    description = """\
Runs COMMAND and measures b right before and after the run. Latitude keeps b if both differ by less
than 5 percentage points ([B] §5.1). The output and the exit status are the command's own. With -o
the run becomes part of a history for `correlate` and `advise`: the latencies in the file of
--samples, or else the command's runtime."""
    example = "latitude background around -o history -- srun -N 8 ./app"
    options = AroundOptions

    def run(self, arguments: AroundOptions) -> None:
        """Runs the command, and exits with the command's status."""
        command = plain_options.command_of(arguments, "latitude background around -- srun ./app")
        if arguments.samples is not None and arguments.directory is None:
            raise InputError("--samples: the latencies go into a history; add -o DIR")
        outputs = Outputs.of(arguments)
        record = run_around(
            command, Meter(arguments), threshold=arguments.threshold, relative=arguments.relative
        )
        say(_sentence(record))
        print_warnings(results_console(stderr=True), record.before.warnings)
        outputs.write_json(record.to_json)
        if arguments.directory is not None and record.exit_code == 0:
            path = _store(arguments.directory, arguments, record)
            say(f"{path}: added to the history")
        elif arguments.directory is not None:
            say("the command failed: nothing added to the history")
        raise SystemExit(record.exit_code)


def _sentence(record: BackgroundAround) -> str:
    unit = "% of b before" if record.relative else "percentage points"
    difference = f"{100 * record.difference:.3g} {unit}"
    limit = f"{100 * record.threshold:.3g} {unit}"
    verdict = (
        f"kept, b = {record.b:.3f}" if record.kept else f"not kept: b must change by under {limit}"
    )
    return (
        f"b = {format_share(record.before.b)} before, {format_share(record.after.b)} after, "
        f"{difference} apart: {verdict}"
    )


def _store(directory: Path, arguments: AroundOptions, record: BackgroundAround) -> Path:
    from latitude.files.clock import stamp  # noqa: PLC0415
    from latitude.samples import SampleStore  # noqa: PLC0415 - slow to import

    start = datetime.fromisoformat(record.start)
    frame = _samples(arguments, record)
    labels = _labels(arguments, record)
    return SampleStore(directory).write(f"run-{stamp(start)}", frame.assign(**labels))


def _samples(arguments: AroundOptions, record: BackgroundAround) -> "pd.DataFrame":
    import pandas as pd  # noqa: PLC0415 - slow to import

    from latitude.samples import read_samples  # noqa: PLC0415 - slow to import

    if arguments.samples is None:
        run: pd.DataFrame = pd.DataFrame({"latency_ns": [record.seconds * 1e9]})
        return run
    return read_samples(arguments.samples, unit=arguments.unit)


def _labels(arguments: AroundOptions, record: BackgroundAround) -> dict[str, Any]:
    nodes, placement = _where()
    found: dict[str, Any] = {
        "collective": arguments.collective,
        "bytes": arguments.size,
        "ranks": arguments.ranks,
        "nodes": nodes,
        "placement": arguments.placement or placement,
    }
    # Labels in the file of samples stay, unless an option replaces them.
    labels = {name: value for name, value in found.items() if value is not None}
    if arguments.samples is None:
        labels.setdefault("collective", Path(record.command[0]).name)
    return {
        **labels,
        "b": float("nan") if record.b is None else record.b,
        "b_before": record.before.b,
        "b_after": record.after.b,
        "time": datetime.fromisoformat(record.start),
        "seconds": record.seconds,
    }


def _where() -> tuple[int | None, str | None]:
    """Number of nodes and placement of the surrounding job; None if unknown."""
    from latitude.lab.cluster.slurm import live_topology  # noqa: PLC0415
    from latitude.lab.cluster.topology import parse_topology  # noqa: PLC0415
    from latitude.units.host_lists import hosts  # noqa: PLC0415

    own = os.environ.get(_NODE_LIST)
    if not own:
        return None, None
    names = hosts(own, _NODE_LIST)
    try:
        topology = parse_topology(live_topology(), "scontrol show topology")
        return len(names), topology.locality(names).level
    except InputError:  # many clusters describe no switches; the run still counts
        return len(names), None
