"""A table that changes while the program runs: SIGHUP from outside, as a person sends it."""

import os
import signal
import time
from pathlib import Path

import numpy as np

from latitude.distributions.table import write_table
from latitude.launch.injecting.latency import parse_latency
from latitude.launch.injecting.recorded import Counted, read_counts
from support.command import Running, begun
from support.hanging import HANG_S
from support.mpi.injecting import OVER_TCP, Injecting

MESSAGES = 3000
US = 1000


def after(count: int, directory: Path, process: Running) -> list[Counted]:
    """Counts at the time at which both ranks have had this number of delayed messages."""
    while process.poll() is None:
        counts = read_counts(directory)
        if len(counts) == 2 and all(each.delayed > count for each in counts):
            return counts
        time.sleep(0.02)
    raise AssertionError(process.communicate())


def test_ranks_read_the_table_again_on_sighup(injecting: Injecting) -> None:
    run = injecting.directory / "run"
    words = injecting.words("--flow", "200us", "--intra-node", "-o", "run")
    program = injecting.mpi.program("one_way.c")
    process = begun(
        [*words, *injecting.mpi.run(2, program, injecting.directory / "took", MESSAGES)],
        {**injecting.mpi.environment, **OVER_TCP},
        injecting.directory,
    )
    counts = after(MESSAGES // 6, run, process)
    write_table(parse_latency("500us").table, run / "table.dist", seed=1, force=True)
    for each in counts:
        os.kill(each.process, signal.SIGHUP)
    _, said = process.communicate(timeout=HANG_S)
    assert process.returncode == 0, said
    result = injecting.result()
    assert [process["loads"] for process in result["processes"]] == [2, 2]
    histogram = result["histogram"]
    asked = [
        low
        for low, count in zip(histogram["from_ns"], histogram["asked"], strict=True)
        if count > MESSAGES // 10
    ]
    assert [round(ns / 1e5) for ns in asked] == [2, 5]
    for rank in (0, 1):
        took = np.fromfile(injecting.directory / f"took.{rank}", dtype=np.uint64)
        assert took[:50].min() >= 200 * US
        assert took[-50:].min() >= 500 * US
