"""Makes runs in Slurm job arrays: each task is a worker that makes its share of the pending runs.

    DIR/slurm/STAMP.json   {"shares": [[run ids], …]}, one share per task
    DIR/slurm/STAMP.job    the array's job id
    DIR/slurm/JOB_TASK.out output of the workers

Latitude follows an array that is already in the queue, and does not submit it again. The process
that submitted the array may end, because workers claim, record and count attempts by themselves.
"""

import json
import math
import re
import shlex
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence

from latitude._core import InputError
from latitude.experiments.planned import Planned
from latitude.experiments.progress import Show
from latitude.files.clock import now, stamp
from latitude.files.writing import whole_files, write_new
from latitude.lab.campaign.directory import Directory
from latitude.lab.campaign.schedulers.seen import Seen
from latitude.lab.cluster.slurm import ask

FOLDER = "slurm"
_POLL_S = 1.0
_MAX_ARRAY = re.compile(r"^MaxArraySize\s*=\s*(\d+)", re.MULTILINE)
_SUBMIT_S = 60.0


def run_array(directory: Directory, show: Show, *, detach: bool) -> None:
    """Submits and follows the pending runs, and resubmits failed runs as often as requested.

    With `detach` it returns after the submission. InputError: Slurm rejects the array.
    """
    seen = Seen(directory, show)
    jobs = _in_queue(_submitted(directory))
    first = True
    while True:
        if not jobs:
            wanted = _wanted(directory, first=first)
            if not wanted:
                break
            jobs = [_submit(directory, wanted)]
            show.tell(f"submitted job array {jobs[0]}: {len(wanted):,} runs")
        if detach:
            show.tell(f"job array {', '.join(jobs)} runs by itself; run again to follow it")
            return
        _follow(jobs, seen, show)
        jobs, first = [], False
    if left := directory.pending():
        show.tell(
            f"{len(left):,} runs were not made: their tasks were cancelled or failed (what they "
            f"said is in {directory.path / FOLDER}); run again to go on"
        )


def _wanted(directory: Directory, *, first: bool) -> list[Planned]:
    """All pending runs at first; later only failed runs, because cancelled tasks stay cancelled."""
    pending = directory.pending()
    return [run for run in pending if first or (directory.next_attempt(run.id) or 0) > 1]


def _follow(jobs: Sequence[str], seen: Seen, show: Show) -> None:
    named = ", ".join(jobs)
    try:
        while states := _states(jobs):
            seen.look()
            counts = Counter(states)
            told = ", ".join(f"{count} {state.lower()}" for state, count in counts.items())
            show.waits(f"job array {named}: tasks {told}")
            time.sleep(_POLL_S)
    except KeyboardInterrupt:
        show.tell(f"job array {named} goes on; `scancel {' '.join(jobs)}` ends it")
        raise
    seen.look()


def _submit(directory: Directory, runs: Sequence[Planned]) -> str:
    """Submits an array; returns its job id."""
    execute = directory.plan.campaign.execute
    largest = _largest_array()
    each = max(execute.runs_per_task or 1, math.ceil(len(runs) / largest))
    shares = [[run.id for run in runs[at : at + each]] for at in range(0, len(runs), each)]
    path = directory.path / FOLDER / f"{stamp(now())}.json"
    write_new(path, json.dumps({"shares": shares}) + "\n", force=False)
    worker = [sys.executable, "-m", "latitude", "campaign", "worker", str(directory.path)]
    line = shlex.join([*worker, "--list", str(path)])
    name = re.sub(r"[^\w.-]", "-", f"latitude-{directory.plan.campaign.name}")
    command = [
        "sbatch",
        "--parsable",
        f"--job-name={name}",
        f"--output={path.parent}/%A_%a.out",
        f"--array=0-{len(shares) - 1}%{execute.at_once}",
        *execute.options,
    ]
    # With exec, Slurm's signals reach the worker itself, not a shell that would not pass them on.
    script = f'#!/bin/sh\nexec {line} --task "$SLURM_ARRAY_TASK_ID"\n'
    job = _sbatch(command, script).split(";")[0]
    write_new(path.with_suffix(".job"), job + "\n", force=False)
    return job


def _sbatch(command: Sequence[str], script: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - the user's own options
            command, input=script, capture_output=True, text=True, timeout=_SUBMIT_S, check=False
        )
    except FileNotFoundError as error:
        raise InputError("sbatch: not found; [execute] how = 'slurm' needs Slurm") from error
    except subprocess.TimeoutExpired as error:
        raise InputError(f"sbatch: no answer within {_SUBMIT_S:g} s") from error
    if done.returncode:
        raise InputError(f"sbatch refused: {done.stderr.strip() or done.returncode}")
    return done.stdout.strip()


def _largest_array() -> int:
    found = _MAX_ARRAY.search(ask(("scontrol", "show", "config")))
    size = int(found[1]) if found else 0
    if size < 2:  # noqa: PLR2004 - Slurm's documentation: 0 switches arrays off
        raise InputError("this Slurm allows no job arrays (MaxArraySize); use how = 'local'")
    return size


def _submitted(directory: Directory) -> list[str]:
    files = whole_files(directory.path / FOLDER, "*.job")
    return [path.read_text(encoding="ascii").strip() for path in files]


def _in_queue(jobs: Sequence[str]) -> list[str]:
    return [job for job in jobs if _states([job])]


def _states(jobs: Sequence[str]) -> list[str]:
    """States of the tasks in the queue; empty if all have finished."""
    try:
        return ask(("squeue", "-h", "-r", "-j", ",".join(jobs), "-o", "%T")).split()
    except InputError as error:
        if "Invalid job id" in str(error):
            return []
        raise
