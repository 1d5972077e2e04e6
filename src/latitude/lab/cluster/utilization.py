"""The background network utilisation b of Salimi Beni and Cosenza 2022 ([B]), §5.1."""

from collections import Counter
from collections.abc import Collection, Iterable

from latitude._core import InputError
from latitude.lab.cluster.jobs import QueuedJob
from latitude.lab.results.background import JobCounts, Utilization
from latitude.notices import kinds
from latitude.notices.notice import Notice

_TALKING = 2
"""Least number of nodes with which a job uses the network. [B] §5.1 says "at least two" three times
and "more than two" once; Latitude follows the former, since two nodes do communicate."""


def background(
    jobs: Iterable[QueuedJob], nodes: int, *, exclude: Collection[str] = ()
) -> Utilization:
    """Computes b from the jobs of a queue and the cluster's number of nodes ([B] eq. 1 and 2).

    Args:
        jobs: all jobs of the queue.
        nodes: N_t, the number of nodes.
        exclude: numbers of jobs to leave out, such as the present job.
    """
    if nodes < 1:
        raise InputError(f"a cluster of {nodes} nodes has no b; give its number of nodes")
    all_jobs = list(jobs)
    known = [job for job in all_jobs if job.id not in exclude]
    running = [job for job in known if job.running]
    talking = [job for job in running if len(job.nodes) >= _TALKING]
    appearances = Counter(node for job in talking for node in job.nodes)
    repeated = appearances.total()
    allocated = sum(len(job.nodes) for job in running)
    if len(appearances) > nodes:
        raise InputError(
            f"jobs run on {len(appearances):,} nodes of a cluster of {nodes:,}; give all its "
            "nodes with --nodes"
        )
    unique = len(appearances) / nodes
    counts = JobCounts(
        communicating=len(talking),
        one_node=sum(len(job.nodes) == 1 for job in running),
        pending=sum("PENDING" in job.states for job in known),
        other=sum(
            not job.running and not job.unknown and "PENDING" not in job.states for job in known
        ),
        unknown=sum(not job.running and bool(job.unknown) for job in known),
        excluded=len(all_jobs) - len(known),
    )
    return Utilization(
        b=unique * (repeated / allocated) if allocated else 0.0,  # at most eq. (1), even rounded
        b_unique=unique,
        N_c=len(appearances),
        N_t=nodes,
        N_c_repeated=repeated,
        N_a=allocated,
        shared=sum(count > 1 for count in appearances.values()),
        jobs=counts,
        warnings=(
            *_absent({job.id for job in all_jobs}, exclude),
            *_warnings(known, running),
        ),
    )


def _absent(ids: Collection[str], exclude: Collection[str]) -> Iterable[Notice]:
    absent = [job for job in exclude if job and job not in ids]
    if absent:
        yield kinds.NO_SUCH_JOB(
            f"--exclude leaves out nothing for {', '.join(absent)}: the queue has no such job"
        )


def _warnings(known: list[QueuedJob], running: list[QueuedJob]) -> Iterable[Notice]:
    strange = Counter(state for job in known for state in job.unknown)
    if strange:
        named = ", ".join(f"'{state}' ({count})" for state, count in sorted(strange.items()))
        yield kinds.UNKNOWN_JOB_STATE(
            f"job states that this version does not know: {named}; such a job counts only if its "
            "state is also RUNNING"
        )
    without = [job.id for job in running if not job.nodes]
    if without:
        yield kinds.RUNNING_WITHOUT_NODES(
            f"{len(without)} running jobs show no nodes (the first is {without[0]}): b is too low"
        )
