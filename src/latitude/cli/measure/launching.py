"""Options that all measurements share."""

from dataclasses import dataclass
from pathlib import Path

from latitude.cli.plain_options import mpicc_option, words_after_dashes
from latitude.units.options import REST, Options, argument, flag


@dataclass(kw_only=True)
class LaunchingOptions(Options):
    """Options for starting a measurement."""

    launch_line: list[str] = argument("", "LAUNCHER", count=REST)
    no_pin: bool = flag(
        "do not bind ranks (default: each rank to a core of its own, if the node has enough cores)"
    )
    mpicc: Path | None = mpicc_option()


def directory_of(name: str) -> Path:
    """Default folder of a measurement's results, in which rank 0 must be able to write."""
    return Path(f"latitude-{name}")


def launch_line(arguments: LaunchingOptions, name: str) -> list[str]:
    """The words after `--` of the action `name`. InputError if the line is empty."""
    example = f"latitude measure {name} -- mpirun -n 2 --map-by node"
    return words_after_dashes(arguments.launch_line, "launch line", example)
