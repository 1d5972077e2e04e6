"""Latency samples of a question, and the destination of its answer."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from latitude.cli.outputs import Outputs, ResultOptions, directory_option
from latitude.cli.plain_options import unit_option
from latitude.units.options import Options, argument, option


def samples_argument(how_many: str = "one group each") -> Any:
    """The argument SAMPLES; `how_many`, in words."""
    return argument(f"files or stores of latency samples: {how_many}", "SAMPLES", Path, count="+")


@dataclass(kw_only=True)
class SamplesOptions(Options):
    """Latency samples, and the labels of their groups."""

    samples: list[Path] = samples_argument()
    by: list[str] = option(
        "a group for each value of this label, e.g. collective; may be repeated",
        "LABEL",
        repeated=True,
    )
    unit: str | None = unit_option()


def _files(name: str) -> tuple[str, ...]:
    return tuple(f"{name}.{end}" for end in ("html", "json", "csv"))


def answer_option(name: str) -> Any:
    """The option -o, the folder for an answer's files, which have the name `name`."""
    page, document, table = _files(name)
    return directory_option(f"{page}, {document} and {table}")


def outputs_of(arguments: ResultOptions, name: str) -> Outputs:
    """Destinations of an answer. InputError, before the work begins: a file is in the way."""
    return Outputs.of(arguments, *_files(name))
