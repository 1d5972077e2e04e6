"""Reads the parts of a rank's trace by PyTorch's profiler (Kineto JSON) that a job needs."""

import re
from dataclasses import dataclass, field

import msgspec
from msgspec import Raw, Struct

from latitude._core import InputError
from latitude.trace.jobs.job import DAMAGED, MOST_NS, MOST_RANKS

_NUMBER = re.compile(rb"(\d{1,16})(?:\.(\d+))?")
_LAUNCHERS = frozenset({"cuda_runtime", "cuda_driver", "hip_runtime", "hip_driver"})
_TASKS = frozenset({"kernel", "gpu_memcpy", "gpu_memset"})
_OF_CPU = frozenset({"cpu_op", "user_annotation"})
_BYTES = {
    "float": 4, "int": 4, "bfloat16": 2, "half": 2, "short": 2, "double": 8, "long": 8,
    "complexfloat": 8, "complexhalf": 4, "complexdouble": 16, "byte": 1, "char": 1, "bool": 1,
}  # fmt: skip
"""Bytes per element by the type's name; other types whose names begin with float8 have one byte."""


_ZERO, _EMPTY = Raw(b"0"), Raw(b"[]")


class _Arguments(
    Struct,
    rename={
        "external": "External id",
        "collective": "Collective name",
        "inputs": "In msg nelems",
        "outputs": "Out msg nelems",
        "group": "Process Group Name",
        "group_ranks": "Process Group Ranks",
        "group_size": "Group size",
        "rank": "Rank",
        "source": "Src Rank",
        "destination": "Dst Rank",
        "sequence": "Seq",
        "record": "wait_on_cuda_event_record_corr_id",
        "recording_stream": "wait_on_stream",
        "dims": "Input Dims",
        "types": "Input type",
        "concrete": "Concrete Inputs",
        "autograd": "Sequence number",
        "forward_thread": "Fwd thread id",
        "function": "Record function id",
    },
    frozen=True,
):
    external: int | None = None
    correlation: int | None = None
    stream: int | None = None
    device: int | None = None
    collective: str = ""
    inputs: int = 0
    outputs: int = 0
    dtype: str = ""
    group: str = ""
    group_ranks: str = ""
    group_size: int = 0
    rank: int | None = None
    source: int | None = None
    destination: int | None = None
    sequence: int | None = None
    record: int | None = None
    recording_stream: int | None = None
    dims: Raw = _EMPTY
    types: Raw = _EMPTY
    concrete: Raw = _EMPTY
    autograd: int | None = None
    forward_thread: int | None = None
    function: int | None = None


_NONE = _Arguments()


class _Event(Struct):
    ph: str = ""
    cat: str = ""
    name: str = ""
    ts: Raw = _ZERO
    dur: Raw = _ZERO
    pid: int | str = 0
    tid: int | str = 0
    args: _Arguments = _NONE


class _GroupEntry(Struct):
    pg_name: str = ""
    pg_desc: str = ""
    ranks: list[int] = []


class _Distributed(Struct, frozen=True):
    rank: int | None = None
    world_size: int | None = None
    pg_config: list[_GroupEntry] | _GroupEntry = []


class _File(Struct):
    traceEvents: list[_Event]
    distributedInfo: _Distributed = _Distributed()


_DECODER = msgspec.json.Decoder(_File)


@dataclass(slots=True)
class Event:
    """A stretch of time on a thread or a stream, ns."""

    start: int
    end: int
    name: str
    line: object
    """The thread, or (device, stream)."""
    args: _Arguments


@dataclass(slots=True)
class Rank:
    """The recording of one rank."""

    name: str
    """Name of the rank's file, for error messages."""
    number: int
    """Number of the rank; −1 if unknown."""
    world: int
    groups: dict[str, tuple[int, ...]]
    """Name → ranks of each process group; an empty tuple means all ranks."""
    descriptions: dict[str, str]
    calls: list[Event] = field(default_factory=list)
    """Calls of the GPU's runtime, in order."""
    tasks: list[Event] = field(default_factory=list)
    syncs: dict[int, Event] = field(default_factory=dict)
    """The wait of a call, by correlation id."""
    operators: list[Event] = field(default_factory=list)
    """Operators and annotations of the CPU, in their order."""
    annotations: list[Event] = field(default_factory=list)
    """Annotations and modules, in their order."""
    every: tuple[int, ...] = ()
    """All ranks."""

    @property
    def start(self) -> int:
        """Time of the first event."""
        return min(each[0].start for each in (self.calls, self.tasks, self.operators) if each)

    @property
    def end(self) -> int:
        """Time of the last event."""
        return max(e.end for each in (self.calls, self.tasks, self.operators) for e in each)


def read_rank(name: str, content: bytes) -> Rank:
    """The rank in a file. InputError: the file has no events, or does not have Kineto's form."""
    if content.lstrip()[:1] == b"[":
        raise InputError(
            f"{name}: this PyTorch was built without Kineto, and its traces lack ranks and shapes; "
            "profile with a build for which torch.profiler.kineto_available() is true"
        )
    try:
        file = _DECODER.decode(content)
    except DAMAGED as error:
        raise InputError(f"{name}: not a whole Kineto trace: {error}") from error
    own = file.distributedInfo
    world = own.world_size or 1
    for number, what in ((own.rank or 0, "rank"), (world - 1, "world_size")):
        if not 0 <= number < MOST_RANKS:
            raise InputError(f"{name}: distributedInfo.{what} is out of range")
    listed = own.pg_config if isinstance(own.pg_config, list) else [own.pg_config]
    rank = Rank(
        name,
        -1 if own.rank is None else own.rank,
        world,
        {each.pg_name: tuple(each.ranks) for each in listed},
        {each.pg_name: each.pg_desc for each in listed},
        every=tuple(range(world)),
    )
    try:
        for event in file.traceEvents:
            if event.ph == "X":
                _take(rank, event)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    if not (rank.calls or rank.tasks or rank.operators):
        raise InputError(f"{name}: no event of a CPU or a GPU in it; profile with both activities")
    for each in (rank.calls, rank.tasks, rank.operators, rank.annotations):
        each.sort(key=_by_start)
    return rank


def _by_start(event: Event) -> tuple[int, int]:
    return event.start, -event.end


def _take(rank: Rank, event: _Event) -> None:
    cat, args = event.cat, event.args
    if cat in _TASKS:
        rank.tasks.append(_timed(event, (args.device or 0, args.stream or 0)))
    elif cat in _LAUNCHERS:
        rank.calls.append(_timed(event, event.tid))
    elif cat in _OF_CPU:
        rank.operators.append(_timed(event, event.tid))
        if cat == "user_annotation":
            rank.annotations.append(rank.operators[-1])
    elif cat == "python_function" and event.name.startswith("nn.Module: "):
        rank.annotations.append(_timed(event, event.tid))
    elif cat == "cuda_sync" and args.correlation is not None:
        rank.syncs[args.correlation] = _timed(event, None)


def _timed(event: _Event, line: object) -> Event:
    start = _ns(event.ts, event.name)
    return Event(start, start + _ns(event.dur, event.name), event.name, line, event.args)


def _ns(number: Raw, name: str) -> int:
    """A decimal number of µs as an integer number of ns."""
    text = bytes(number)
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise InputError(f"event '{name}': {text[:40].decode(errors='replace')} is no time in µs")
    whole, part = found.groups()
    ns = int(whole) * 1000 + (int((part + b"00")[:3]) if part else 0)
    if ns > 1 << 62:
        raise InputError(f"event '{name}': {text.decode()} µs is beyond all clocks")
    return ns


def element_bytes(dtype: str) -> int:
    """The size of an element, bytes; 0 for an unknown type."""
    known = dtype.rpartition(":")[2].replace("_", "").lower()
    return _BYTES.get(known, 1 if known.startswith("float8") else 0)


def tensor_bytes(operator: Event) -> int:
    """Bytes of an operator's largest input (a tensor or a list of tensors); 0 if not recorded."""
    args = operator.args
    try:
        dims = msgspec.json.decode(args.dims)
        types = msgspec.json.decode(args.types, type=list[str])
    except DAMAGED:
        return 0
    sizes = [0]
    for at, shape in enumerate(dims if isinstance(dims, list) else []):
        dtype = types[at] if at < len(types) else ""
        sizes.append(_elements(shape) * (element_bytes(dtype) or 4))  # lists have no type: floats
    return min(max(sizes), MOST_NS)


def _elements(shape: object) -> int:
    """Number of elements in a shape, or in a list of shapes."""
    if not isinstance(shape, list) or not shape:
        return 0
    if all(isinstance(each, int) for each in shape):
        count = 1
        for each in shape:
            count = min(count * max(each, 0), MOST_NS)
        return count
    return sum(_elements(each) for each in shape if isinstance(each, list))


def concrete_inputs(operator: Event) -> list[str]:
    """The arguments of an operator that are not tensors, as text."""
    try:
        return msgspec.json.decode(operator.args.concrete, type=list[str])
    except DAMAGED:
        return []


def group_ranks(rank: Rank, name: str, listed: str) -> tuple[int, ...]:
    """The ranks of a process group; `listed`, an event's own list, has only the first 30."""
    known = rank.groups.get(name)
    if known is not None:
        return known or rank.every
    try:
        found = tuple(msgspec.json.decode(listed.encode(), type=list[int])) if listed else ()
    except DAMAGED:
        found = ()
    return found or rank.every
