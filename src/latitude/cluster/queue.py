"""A saved queue: JSON or text, told apart by content."""

from pathlib import Path

from latitude._core import InputError
from latitude.cluster.jobs import QueuedJob
from latitude.cluster.squeue_json import parse_json
from latitude.cluster.squeue_text import parse_text


def read_queue(path: Path) -> list[QueuedJob]:
    """The jobs in a file with the output of `squeue --json` or `squeue -o '%A|%i|%T|%D|%N'`."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    parse = parse_json if text.lstrip().startswith("{") else parse_text
    return parse(text, str(path))
