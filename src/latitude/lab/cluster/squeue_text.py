"""The output of `squeue -o` in a format that can be parsed.

The default columns cannot be parsed, because job names may contain spaces and any other character.
FORMAT leaves out every text that users choose, so `|` always separates columns.
"""

from latitude._core import InputError
from latitude.lab.cluster.jobs import QueuedJob, merged
from latitude.units.host_lists import hosts

FORMAT = "%A|%i|%T|%D|%N"
"""Job number, number with array element or component, full state, number of nodes, nodes."""

_ADVICE = f"save the output of `squeue --all -o '{FORMAT}'` or `squeue --json`"
_NEEDED = ("JOBID", "STATE", "NODELIST")


def parse_text(text: str, where: str) -> list[QueuedJob]:
    """The jobs in the output of `squeue -o` with `|` between columns and a header."""
    lines = text.splitlines()
    header = [name.strip() for name in lines[0].split("|")] if lines else []
    missing = [name for name in _NEEDED if name not in header]
    if missing:
        raise InputError(f"{where}: no column {' or '.join(missing)} between | in it; {_ADVICE}")
    at = [header.index(name) for name in _NEEDED]
    jobs = []
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        fields = [part.strip() for part in line.split("|")]
        if len(fields) != len(header):
            raise InputError(
                f"{where}:{number}: {len(fields)} columns instead of {len(header)}; {_ADVICE}"
            )
        name, state, nodes = (fields[index] for index in at)
        if not name or not state:
            raise InputError(f"{where}:{number}: no job number or no state; {_ADVICE}")
        job = QueuedJob(name, frozenset({state}), hosts(nodes, f"{where}:{number}"))
        jobs.append((_leader(header, fields) or name, job))
    return merged(jobs)


def _leader(header: list[str], fields: list[str]) -> str | None:
    """Number that components of one heterogeneous job share: `12` for `12+0` and `12+1`."""
    for column, field in zip(header, fields, strict=True):
        leader, plus, _ = field.partition("+")
        if column == "JOBID" and plus:
            return leader
    return None
