"""Builds a job from the Kineto traces of its ranks; dependencies are deduced and counted."""

import re
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from latitude._core import InputError
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.trace.jobs.called import CPU, Built, Called, kind_of
from latitude.trace.jobs.gloo import add_gloo_rank
from latitude.trace.jobs.job import MOST_NS, JobBuilder, MadeJob
from latitude.trace.jobs.kineto_file import (
    Event,
    Rank,
    element_bytes,
    group_ranks,
    tensor_bytes,
)
from latitude.trace.jobs.modules import Modules
from latitude.trace.jobs.stream_waits import Launched, StreamWaits, stream_waits
from latitude.units.quantities import counted

_SYNC = re.compile(r"(Device|Stream|Event|Context|Ctx)Synchronize$")
_COLLECTIVE = re.compile(r"^nccl(?:Dev)?Kernel|^ncclSymk|multimem_|^rccl", re.IGNORECASE)
_TREE = re.compile(r"AllReduce\w*_TREE_")
"""A kernel of NCCL for trees. Names of other kernels do not tell the algorithm."""
_CLOCKS_NS = 100_000
"""Largest difference of two ranks' times that a common clock may have, ns."""
_OVERLAP_NS = 4000
"""Time by which a task after a programmatic launch may begin before the previous task ends, ns."""
_BUSY_NS = 5000
"""A task launched at least this long before the previous task's end finds its stream busy, ns."""


@dataclass(frozen=True, slots=True)
class KinetoJob(MadeJob):
    """A job built from its ranks' traces."""

    built: Built
    """Results of building the ranks."""


def job_of(source: str, ranks: Sequence[Rank]) -> KinetoJob:
    """The job of these ranks, which are in the order of their numbers.

    InputError: the ranks do not fit together.
    """
    listed = (rank for each in ranks for group in each.groups.values() for rank in group)
    world = 1 + max(*listed, *(max(each.world - 1, each.number) for each in ranks), 0)
    job, built = JobBuilder(world), Built()
    begins = []
    for rank in ranks:
        if rank.end - rank.start > MOST_NS:
            raise InputError(f"{rank.name}: its events are further apart than 2^53 ns")
        begins.append(job.operation(rank.number, CPU, 0))
        if rank.tasks:
            _RankBuilder(job, built, rank, begins[-1]).build()
        else:
            add_gloo_rank(job, built, rank)
    messages = match(job, built, ranks)
    offsets = clock_offsets(built, ranks)
    rank_of = {operation: number for number, operation, _ in built.members}
    for own, other in messages:
        _meet(job, (own, other), offsets[rank_of[other[0]]] - offsets[rank_of[own[0]]])
    shifted = any(offsets.values())
    start = min(rank.start + offsets[rank.number] for rank in ranks)
    end = max(rank.end + offsets[rank.number] for rank in ranks)
    for rank, begin in zip(ranks, begins, strict=True):
        job.lasts(begin, rank.start + offsets[rank.number] - start)
    return KinetoJob(
        job, float(end - start), tuple(_warnings(source, job, built, ranks, shifted)), built
    )


def clock_offsets(built: Built, ranks: Sequence[Rank]) -> dict[int, int]:
    """Correction of each rank's times, ns; all are 0 if the clocks agree.

    All members of a collective end at nearly the same time. The differences between the ends vary
    from one collective to the next. A lasting, much larger difference is a difference between
    clocks.
    """
    ends: dict[tuple[object, ...], dict[int, int]] = defaultdict(dict)
    for number, operation, called in built.members:
        ends[(called.group, called.ranks, built.order[operation])][number] = called.end
    apart: dict[tuple[int, int], list[int]] = defaultdict(list)
    for each in ends.values():
        first = min(each)
        for number, end in each.items():
            if number != first:
                apart[first, number].append(end - each[first])
    offsets = {rank.number: 0 for rank in ranks}
    known = {min(offsets)}
    for _ in offsets:
        for (first, number), differences in apart.items():
            typical = int(median(differences))
            spread = median(abs(each - typical) for each in differences)
            shift = -typical if abs(typical) > max(_CLOCKS_NS, 10 * spread) else 0
            if first in known and number not in known:
                offsets[number] = offsets[first] + shift
                known.add(number)
            elif number in known and first not in known:
                offsets[first] = offsets[number] - shift
                known.add(first)
    return offsets


def _warnings(
    source: str, job: JobBuilder, built: Built, ranks: Sequence[Rank], shifted: bool
) -> Iterator[Notice]:
    lacking, what = job.lacking()
    if lacking:
        yield kinds.JOB_LACKS_RANKS(
            f"{source}: {len(ranks)} of {job.ranks} ranks are here; "
            f"{counted(lacking, 'collective')} lack a member, the first one: {what}"
        )
    if built.without_launch:
        yield kinds.JOB_WITHOUT_LAUNCH(
            f"{counted(built.without_launch, 'GPU task')} have no launch in the trace and start "
            "at their recorded times"
        )
    if built.in_graphs:
        yield kinds.JOB_GRAPHS(
            f"{counted(built.in_graphs, 'task')} of CUDA graphs lie on several streams; each "
            "waits for the tasks of other streams with an earlier recorded end"
        )
    if built.without_size:
        yield kinds.JOB_WITHOUT_SIZE(
            f"{counted(built.without_size, 'part')} of ranks in collectives have no size in the "
            "trace"
        )
    if shifted:
        yield kinds.JOB_CLOCKS(
            "the clocks of ranks differ, and are aligned by the ends of collectives"
        )
    if built.open_waits:
        yield kinds.JOB_OPEN_WAITS(
            f"no matching event was found for {counted(built.open_waits, 'wait')} of a stream"
        )
    early = sum(built.early.values())
    if early:
        yield kinds.JOB_CONTRADICTED(
            f"operations began before the ends of their dependencies, {counted(early, 'time')}"
        )


def linked(rank: Rank) -> StreamWaits:
    """The waits between a rank's streams."""
    builder = _RankBuilder(JobBuilder(1), Built(), rank, 0)
    return builder.waits()


class _RankBuilder:
    """Adds the operations of one rank."""

    def __init__(self, job: JobBuilder, built: Built, rank: Rank, begins: int) -> None:
        self._job, self._built, self._rank, self._begins = job, built, rank, begins
        self._begin = rank.start
        self._number = rank.number
        self._gap = self._lag = 0
        self._called: list[Event] = []
        self._messages: deque[Event] = deque()
        self._launched = Launched()
        self._of_call: dict[int, list[Event]] = defaultdict(list)
        """Tasks by the correlation id of the launching call."""
        self._launch_of: dict[int, Event] = {}
        """Launching call by the identity of its task."""
        self._operation: dict[int, int] = {}
        """Operation at the end of a task, by the task's identity."""
        self._edges: dict[int, list[Event]] = defaultdict(list)
        """Tasks on other streams for which a task waits."""

    def build(self) -> None:
        for wait in self.waits().found:
            before = self._edges[id(wait.task)]
            if not any(each is wait.before for each in before):
                before.append(wait.before)
                self._job.count("stream wait, recorded" if wait.known else "stream wait, restored")
        if not self._launch_of:
            raise InputError(
                f"{self._rank.name}: none of its {counted(len(self._rank.tasks), 'GPU task')} has "
                "its launch; profile with ProfilerActivity.CPU, too"
            )
        for call in self._of_call.values():
            self._order_graph(call)
        self._measure()
        self._add()

    def _order_graph(self, tasks: Sequence[Event]) -> None:
        """Restores the order between streams in a CUDA graph from the times of its tasks."""
        last: dict[object, Event] = {}
        several = len({task.line for task in tasks}) > 1
        for task in tasks if several else ():
            self._built.in_graphs += 1
            own = last.get(task.line)
            for other in last.values():
                before = self._edges[id(task)]
                released = own is None or own.end < other.end <= task.start
                if other is not own and other.end <= task.start and released:
                    before.append(other)
                    self._job.count("CUDA graph, restored")
            last[task.line] = task

    def _link(self) -> None:
        calls = {
            call.args.correlation: call
            for call in self._rank.calls
            if call.args.correlation is not None
        }
        found: list[tuple[int, int, Event]] = []
        for task in self._rank.tasks:
            correlation = task.args.correlation
            call = None if correlation is None else calls.get(correlation)
            if call is None:
                self._built.without_launch += 1
                found.append((-1, task.start, task))
            else:
                self._of_call[correlation or 0].append(task)
                self._launch_of[id(task)] = call
                found.append((call.start, task.start, task))
        found.sort(key=lambda each: each[:2])
        ended: dict[object, int] = {}
        for time, _, task in found:
            self._launched.add(task, time)
            self._built.early["launch"] += task.start < time - _OVERLAP_NS
            self._built.early["stream order"] += task.start < ended.get(task.line, 0) - _OVERLAP_NS
            ended[task.line] = task.end
        self._job.count("stream order", len(found) - len(ended))

    def waits(self) -> StreamWaits:
        """The waits between streams, once tasks are linked to their launches."""
        self._link()
        self._called = [
            each
            for each in self._rank.operators
            if each.name == "record_param_comms" or each.name.startswith("c10d::")
        ]
        self._messages = deque(
            each for each in self._called if each.args.collective in ("send", "recv")
        )
        stream_of = {corr: tasks[0].line for corr, tasks in self._of_call.items()}
        waits = stream_waits(self._rank, self._launched, stream_of, self._called)
        self._built.open_waits += waits.open
        return waits

    def _measure(self) -> None:
        """Measures the time between tasks of a busy stream, and from a launch to an idle stream."""
        gaps, lags = [], []
        for tasks in self._launched.tasks.values():
            end = 0
            for task in tasks:
                call = self._launch_of.get(id(task))
                if call is not None and not self._edges.get(id(task)):
                    if end and call.start < end - _BUSY_NS:
                        gaps.append(max(0, task.start - end))
                    elif end < call.start:
                        lags.append(max(0, task.start - call.start))
                end = task.end
        self._gap = int(median(gaps)) if gaps else 0
        self._lag = int(median(lags)) if lags else 0

    def _add(self) -> None:
        job, number = self._job, self._number
        at = self._begin
        sync_tasks: dict[object, Event] = {}

        def step(until: int) -> int:
            nonlocal at
            operation = job.operation(number, CPU, max(0, until - at))
            at = max(at, until)
            return operation

        for task in (t for tasks in self._launched.tasks.values() for t in tasks):
            if id(task) not in self._launch_of:
                self._task(task, None)
                sync_tasks[task.line] = task
        modules = Modules(self._rank)
        for call in self._rank.calls:
            job.part = modules.of(call)
            tasks = self._of_call.get(call.args.correlation or -1, [])
            if tasks:
                launch = step(call.start)
                for task in tasks:
                    self._task(task, launch)
                    sync_tasks[task.line] = task
                copies = [t for t in tasks if t.name.startswith("Memcpy") and t.end <= call.end]
                if copies:
                    self._sync(call, copies)
                    at = max(at, call.end)
            elif _SYNC.search(call.name):
                step(call.start)
                awaited = self._awaited(call, sync_tasks)
                self._sync(call, awaited)
                at = max(at, call.end)
        job.part = ""
        step(max(at, self._cpu_end()))

    def _cpu_end(self) -> int:
        return max(
            (each.end for events in (self._rank.calls, self._rank.operators) for each in events),
            default=0,
        )

    def _awaited(self, call: Event, last: dict[object, Event]) -> list[Event]:
        """Tasks for which a synchronising call waits."""
        found = _SYNC.search(call.name)
        what = found.group(1) if found else ""
        usable = [task for task in last.values() if task.end <= call.end + _OVERLAP_NS]
        if what in ("Device", "Context", "Ctx"):
            return usable
        sync = self._rank.syncs.get(call.args.correlation or -1)
        stream = None if sync is None else sync.args.stream
        if what == "Stream" and stream is not None and stream >= 0:
            return [task for task in usable if task.args.stream == stream]
        inside = [task for task in usable if task.end > call.start]
        return [max(inside, key=lambda task: task.end)] if inside else []

    def _sync(self, call: Event, awaited: Sequence[Event]) -> None:
        """Lets the CPU continue after these tasks, with the recorded delay."""
        job = self._job
        ended = max([call.start, *(min(task.end, call.end) for task in awaited)])
        wait = job.operation(self._number, CPU, 0)
        for task in awaited:
            operation = self._operation.get(id(task))
            if operation is not None:
                job.depends(wait, operation, "synchronise")
                self._built.early["synchronise"] += task.end > call.end + _OVERLAP_NS
        job.operation(self._number, CPU, max(0, call.end - ended))

    def _task(self, task: Event, launch: int | None) -> None:
        """Adds a GPU task after its launch."""
        job, number = self._job, self._number
        stream = f"GPU {task.args.device or 0} stream {task.args.stream or 0}"
        if launch is None:
            late = max(0, task.start - self._begin - self._gap)
            ready = job.operation(number, None, late, [self._begins], "")
        else:
            lag = max(0, self._lag - self._gap)
            ready = job.operation(number, None, lag, [launch], "launch")
        start = job.operation(number, stream, self._gap, [ready], "")
        for before in self._edges.get(id(task), ()):
            operation = self._operation.get(id(before))
            if operation is not None:
                job.depends(start, operation, "")
        self._operation[id(task)] = self._body(task, stream)

    def _body(self, task: Event, stream: str) -> int:
        """Adds the operations of a task after its start; returns the last operation."""
        job, number, ns = self._job, self._number, task.end - task.start
        parts = self._parts(task)
        if len(parts) == 1:
            operation = job.operation(number, stream, ns)
            self._built.members.append((number, operation, parts[0]))
            return operation
        if not parts:
            return job.operation(number, stream, ns)
        begin = job.operation(number, stream, 0)  # a batch: each part waits for its own partner
        ends = []
        for part in parts:
            ends.append(job.operation(number, None, ns, [begin], ""))
            self._built.members.append((number, ends[-1], part))
        return job.operation(number, stream, 0, ends, "")

    def _parts(self, task: Event) -> list[Called]:
        """A task's parts in collectives; empty for a computation."""
        call = self._launch_of.get(id(task))
        if call is None or task.name.startswith("Mem"):
            return []
        args = task.args
        messages = self._messages_of(task, call)
        if messages:
            return messages
        if not args.collective and not _COLLECTIVE.search(task.name):
            return []
        within = [
            each
            for each in _around(self._called, call)
            if each.args.collective or each.name.startswith("c10d::")
        ]
        described = args if args.collective or not within else within[-1].args
        name = described.collective or (within[0].name if within else task.name)
        kind = kind_of(name) or kind_of(task.name) or "all_reduce"
        elements = described.outputs if kind == "all_gather" else described.inputs
        size = elements * element_bytes(described.dtype)
        if not size and within:
            size = max(tensor_bytes(each) for each in within)
        self._built.without_size += not size and kind != "barrier"
        ranks = group_ranks(self._rank, described.group, described.group_ranks)
        return [
            Called(
                call.start,
                task.end,
                kind,
                described.group,
                ranks,
                min(size, MOST_NS),
                within[-1].args.sequence
                if described.sequence is None and within
                else described.sequence,
                algorithm="tree" if kind == "all_reduce" and _TREE.search(task.name) else "ring",
            )
        ]

    def _messages_of(self, task: Event, call: Event) -> list[Called]:
        """Messages of a kernel that sends or receives: all called since the last such kernel."""
        args = task.args
        if args.collective:
            if kind_of(args.collective) != "send":
                return []
        elif args.external is not None or not self._messages:
            return []
        found = []
        while self._messages and self._messages[0].start <= call.start:
            found.append(self._message(self._messages.popleft(), task.end))
        return found

    def _message(self, called: Event, end: int) -> Called:
        args, own = called.args, self._number
        ranks = group_ranks(self._rank, args.group, args.group_ranks)
        peer = args.rank if args.destination is None and args.source is None else None
        if args.destination is not None:
            peer = args.destination
        elif args.source is not None:
            peer = args.source
        other = ranks[peer] if peer is not None and 0 <= peer < len(ranks) else own
        pair = (
            (own,) if other == own else (own, other) if args.collective == "send" else (other, own)
        )
        size = max(args.inputs, args.outputs) * element_bytes(args.dtype)
        return Called(called.start, end, "send", args.group, pair, min(size, MOST_NS))


def _around(events: Sequence[Event], call: Event) -> list[Event]:
    """Events of a call's thread that contain the call, outer ones first; `events` by start."""
    at = bisect_right(events, call.start, key=lambda each: each.start)
    return [
        each
        for each in events[max(0, at - 16) : at]
        if each.line == call.line and each.end >= call.end
    ]


_Part = tuple[int, Called]
"""A member's operation, and its call."""


def match(job: JobBuilder, built: Built, ranks: Sequence[Rank]) -> list[tuple[_Part, _Part]]:
    """Matches the collectives of all ranks by group and sequence number, or else by order.

    Returns:
        The two ends of each message.

    Raises:
        InputError, with the first difference: ranks made different calls.
    """
    present = {rank.number for rank in ranks}
    roles = {name: role for rank in ranks for name, role in rank.descriptions.items()}
    messages: list[tuple[_Part, _Part]] = []
    for (name, members), calls in _groups(built).items():
        numbered = all(
            None not in own and len({*own}) == len(own)
            for own in ([called.sequence for _, called in parts] for parts in calls.values())
        )
        if not numbered:
            _check_counts(name, {number: len(calls.get(number, ())) for number in members
                                 if number in present})  # fmt: skip
        group = job.group(members, name, roles.get(name, ""))
        for parts in calls.values():
            for order, (operation, called) in enumerate(parts):
                built.order[operation] = order
                sequence = called.sequence if numbered else order
                job.member(operation, group, sequence, *called.charged)
        if len(members) == _PAIR and len(calls) == _PAIR:
            messages += zip(*calls.values(), strict=False)
    return messages


def _groups(built: Built) -> dict[tuple[str, tuple[int, ...]], dict[int, list[_Part]]]:
    """Parts in collectives by group and rank, in the order of each rank's calls.

    A group is identified by its ranks, and by its name if all ranks use equal names. Otherwise
    Latitude matches groups of the same ranks in the order in which each rank uses the groups.
    """
    used: dict[tuple[int, ...], dict[int, dict[str, list[_Part]]]] = {}
    for number, operation, called in sorted(built.members, key=lambda member: member[2].start):
        of_rank = used.setdefault(called.ranks, {}).setdefault(number, {})
        of_rank.setdefault(called.group, []).append((operation, called))
    found: dict[tuple[str, tuple[int, ...]], dict[int, list[_Part]]] = {}
    for members, of_ranks in used.items():
        names = {frozenset(own) for own in of_ranks.values()}
        for number, own in of_ranks.items():
            for at, (name, parts) in enumerate(own.items()):
                common = name if len(names) == 1 else f"number {at + 1}"
                found.setdefault((common, members), {})[number] = parts
    return found


def _check_counts(name: str, counts: dict[int, int]) -> None:
    """Raises InputError if some rank calls fewer collectives of a group than another rank."""
    most = max(counts, key=lambda number: counts[number], default=0)
    short = min(counts, key=lambda number: counts[number], default=0)
    if not counts or counts[most] == counts[short]:
        return
    if not name:
        raise InputError(
            f"rank {short} calls {counted(counts[short], 'collective')}, rank {most} calls "
            f"{counts[most]:,}, and the traces name no process groups (gloo's and those of 2023 do "
            "not). Profile the same steps on all ranks, without subgroups or with NCCL"
        )
    raise InputError(
        f"rank {short} has {counts[short]} collectives in group '{name}', "
        f"rank {most} has {counts[most]}; profile the same steps on all ranks"
    )


_PAIR = 2


def _meet(job: JobBuilder, ends: tuple[_Part, _Part], apart: int) -> None:
    """Limits a message to the time in which both its ends were active, by one clock.

    Args:
        job: job of the message.
        ends: both ends of the message.
        apart: difference to add to the second end's times for the first end's clock, ns.
    """
    (operation, a), (_, b) = ends
    if a.begin is not None and b.begin is not None:
        both = min(a.end, b.end + apart) - max(a.begin, b.begin + apart)
        if both > 0:
            job.shorten(operation, both)
