"""Runs the program `load`, and reads the share of the bandwidth that it achieved."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from latitude._core import InputError
from latitude.measure.results import BenchResults
from latitude.measure.running import running
from latitude.measure.session import BenchRequest
from latitude.results.measurement import GeneratedLoad, LoadFlow

PROGRAM = "load"
MESSAGE = 256 << 10
_FLOWING = "flowing"
_START_S = 60.0
_SECOND_JOB = {"OMPI_MCA_hwloc_base_binding_policy": "none", "SLURM_OVERLAP": "1"}
"""Variables for a second job on the same nodes. By default Open MPI would bind the ranks of both
jobs to the same cores, and srun would wait for the other job.
"""
_COLUMNS = 6


def load_of(results: BenchResults, asked: float, message: int) -> GeneratedLoad:
    """The generated load, from the program's results. InputError: no rank sent anything."""
    ranks = {flow.number("rank"): flow.values for flow in results.named("flow")}
    flows = []
    for rank, values in ranks.items():
        partner, sends, peak, messages, seconds, rate = values[:_COLUMNS]
        if sends:
            flows.append(
                LoadFlow(
                    sender=rank,
                    receiver=int(partner),
                    peak_bytes_per_s=float(peak),
                    achieved=float(rate / peak),
                    sent_bytes_per_s=float(rate),
                    received_bytes_per_s=float(ranks[int(partner)][_COLUMNS - 1]),
                    messages=int(messages),
                    seconds=float(seconds),
                )
            )
    if not flows:
        raise InputError("the load generator was stopped before anything flowed; give it more time")
    sent = sum(flow.sent_bytes_per_s for flow in flows)
    return GeneratedLoad(
        asked=asked,
        achieved=sent / sum(flow.peak_bytes_per_s for flow in flows),
        message_bytes=message,
        crowded=results.text("crowded") == "1",
        pairs=tuple(flows),
    )


def flowing(results: BenchResults) -> float | None:
    """Seconds since rank 0 began to send its share; None before."""
    told = [value for name, value in results.texts if name == _FLOWING]
    return float(told[-1].split()[0]) if told else None


@dataclass(slots=True)
class LoadBeside:
    """A load that runs during another measurement; `load` is known afterwards."""

    asked: float
    load: GeneratedLoad | None = field(default=None)


@contextmanager
def load_beside(request: BenchRequest, directory: Path) -> Iterator[LoadBeside]:
    """Starts the generator on the launch line's nodes, waits until it flows, ends it at exit.

    Args:
        request: the program `load` with its share and message size.
        directory: directory for the generator's results during the run.
    """
    share = float(request.arguments["share"])
    found = LoadBeside(share)
    with running(request, directory, _SECOND_JOB) as job:
        job.wait_until(lambda results: flowing(results) is not None, _START_S)
        yield found
        job.stop()
        found.load = load_of(job.wait(), share, int(request.arguments["bytes"]))


def request(
    launch: list[str],
    share: float,
    *,
    message: int = MESSAGE,
    seed: int = 1,
    for_ns: float = 0,
    peak: float = 0,
    pin: bool = False,
    beside: bool = False,
    mpicc: Path | None = None,
) -> BenchRequest:
    """The request to run the generator.

    Args:
        launch: launch line of the generator.
        share: share of the peak, above 0.
        message: size of messages, bytes.
        seed: seed of the gaps; rank r has seed + r.
        for_ns: duration, ns; 0 means until it is stopped.
        peak: full bandwidth, bytes per second; 0 measures it first.
        pin: binds each rank to its own core.
        beside: whether another job with the same number of ranks runs on the same nodes.
        mpicc: compiler wrapper that the user has chosen.
    """
    arguments = {
        "share": share,
        "bytes": message,
        "seed": seed,
        "for_ns": for_ns,
        "peak": peak,
        "pin": int(pin),
        "beside": int(beside),
    }
    return BenchRequest(PROGRAM, launch, arguments, mpicc)
