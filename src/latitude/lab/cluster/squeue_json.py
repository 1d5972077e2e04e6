"""The output of `squeue --json`, in the layouts of Slurm 21.08 to 24.11.

- 21.08 and 22.05 (openapi): `job_state` is "RUNNING"; `nodes` and `job_resources.nodes` are host
  lists.
- 23.02 (data_parser 0.0.39): the same.
- 23.11 (0.0.40): `job_state` is a list, ["RUNNING"] and flags; the nodes are the same.
- 24.05 and newer (0.0.41 …): `job_state` is the same list; the nodes are host lists in `nodes` and
  `job_resources.nodes.list`.

Numbers are plain, or `{"set": …, "infinite": …, "number": …}` from 23.02 on.
"""

import json
from typing import Any

from latitude._core import InputError
from latitude.files.reading import json_value
from latitude.lab.cluster.jobs import QueuedJob, merged
from latitude.units.host_lists import hosts


def parse_json(text: str, where: str) -> list[QueuedJob]:
    """The jobs in the output of `squeue --json`."""
    content = json_value(text, where)
    if not isinstance(content, dict) or not isinstance(content.get("jobs"), list):
        raise InputError(f"{where}: no list 'jobs' in it; save the output of `squeue --json`")
    _refuse_errors(content, where)
    jobs = [_job(record, f"{where}: job {i}") for i, record in enumerate(content["jobs"])]
    return merged(jobs)


def _refuse_errors(content: dict[str, Any], where: str) -> None:
    """Raises InputError if the answer has errors and no jobs: b would be too low."""
    errors = content.get("errors")
    if errors and not content["jobs"]:
        raise InputError(f"{where}: Slurm reports an error: {json.dumps(errors[0])}")


def _job(record: Any, where: str) -> tuple[str, QueuedJob]:
    if not isinstance(record, dict):
        raise InputError(f"{where} is not an object; save the output of `squeue --json`")
    number = _number(record.get("job_id"))
    if number is None:
        raise InputError(f"{where} has no 'job_id'; save the output of `squeue --json`")
    where = f"{where} ({number})"
    states = record.get("job_state")
    if isinstance(states, str):
        states = [states]
    if not isinstance(states, list) or not all(isinstance(state, str) for state in states):
        raise InputError(f"{where} has no 'job_state'; save the output of `squeue --json`")
    job = QueuedJob(str(number), frozenset(states), hosts(_host_list(record), where))
    return str(_number(record.get("het_job_id")) or number), job


def _number(value: Any) -> int | None:
    """A number, plain or wrapped as from 23.02 on; None if absent or not set."""
    if isinstance(value, dict):
        value = value.get("number") if value.get("set") else None
    return value if isinstance(value, int) else None


def _host_list(record: dict[str, Any]) -> str:
    """The job's nodes; empty while it waits."""
    nodes = record.get("nodes")
    if isinstance(nodes, str) and nodes:
        return nodes
    resources = record.get("job_resources")
    inner = resources.get("nodes") if isinstance(resources, dict) else None
    if isinstance(inner, dict):
        inner = inner.get("list")
    return inner if isinstance(inner, str) else ""
