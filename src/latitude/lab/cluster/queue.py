"""Reads a saved queue; the file's content tells whether it is JSON or text."""

from pathlib import Path

from latitude.files.reading import read_text
from latitude.lab.cluster.jobs import QueuedJob
from latitude.lab.cluster.slurm import MOST_BYTES
from latitude.lab.cluster.squeue_json import parse_json
from latitude.lab.cluster.squeue_text import parse_text


def read_queue(path: Path) -> list[QueuedJob]:
    """The jobs in a file with the output of `squeue --json` or `squeue -o '%A|%i|%T|%D|%N'`."""
    text = read_text(path, MOST_BYTES, errors="replace")
    parse = parse_json if text.lstrip().startswith("{") else parse_text
    return parse(text, str(path))
