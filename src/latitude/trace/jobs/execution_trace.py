"""Reads kind, group and number of each collective from PyTorch's execution traces."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

import msgspec
from msgspec import Raw, Struct

from latitude._core import InputError
from latitude.trace.jobs.job import DAMAGED, MOST_NS
from latitude.trace.jobs.kineto_file import Event, Rank

_PARTS = re.compile(r"\.(?:et|kineto|pt|trace|json|gz|xz|zst|bz2)(?=\.|$)")
_NUMBERS = re.compile(r"\d+")
_COMMS, _INIT = "record_param_comms", "process_group:init"
_PAIR = 2
_SIZE = (3, 4)
"""Positions of a tensor's number of elements and bytes per element."""


class _Attribute(Struct):
    name: str = ""
    value: Raw = Raw(b"0")


class _Inputs(Struct):
    values: list[object] = []


class _Node(Struct):
    name: str = ""
    id: int = 0
    rf_id: int | None = None
    inputs: Raw = Raw(b"[]")
    attrs: list[_Attribute] = []


class _File(Struct):
    nodes: list[_Node]


class _Group(Struct):
    pg_name: str = ""
    pg_desc: str = ""
    ranks: list[int] = []


@dataclass(frozen=True, slots=True)
class TracedCall:
    """A collective in an execution trace."""

    function: int
    """Number of Kineto's operator (record function id); 0 if unknown."""
    collective: str
    group: str
    """Name of the group; empty if the trace has an address in its place."""
    sequence: int
    message: bool
    """Whether the call is a message; `sequence` counts messages separately."""
    bytes: int
    """Bytes of the input tensors."""


@dataclass(slots=True)
class ExecutionTrace:
    """Collectives and groups of one rank's trace."""

    name: str
    called: list[TracedCall] = field(default_factory=list)
    groups: dict[str, tuple[int, ...]] = field(default_factory=dict)
    descriptions: dict[str, str] = field(default_factory=dict)


def read_execution_trace(name: str, content: bytes) -> ExecutionTrace:
    """The trace in a file. InputError: the file is damaged, or of another kind."""
    try:
        file = msgspec.json.decode(content, type=_File)
        found = ExecutionTrace(name)
        for node in sorted(file.nodes, key=lambda node: node.id):
            if node.name == _COMMS:
                found.called += _called(node)
            elif _INIT in node.name:
                for group in _groups(node):
                    found.groups[group.pg_name] = tuple(group.ranks)
                    found.descriptions[group.pg_name] = group.pg_desc
    except DAMAGED as error:
        raise InputError(f"{name}: not a whole execution trace: {error}") from error
    return found


def _values(node: _Node) -> list[object]:
    """The arguments of a node; in traces before 1.0.2, `inputs` is the list itself."""
    if bytes(node.inputs).startswith(b"["):
        return msgspec.json.decode(node.inputs, type=list[object])
    return msgspec.json.decode(node.inputs, type=_Inputs).values


def _called(node: _Node) -> Iterator[TracedCall]:
    values = _values(node)
    at = next((i for i, each in enumerate(values) if isinstance(each, str)), 0)
    number, group = values[at - 3 : at - 1] if at > _PAIR else (None, None)
    message = False
    if isinstance(number, list) and len(number) == _PAIR:
        number, message = number[0], bool(number[1])
    if not isinstance(number, int) or number < 0:
        return
    own = (each.value for each in node.attrs if each.name == "rf_id")
    function = node.rf_id or msgspec.json.decode(next(own, Raw(b"0")), type=int)
    named = group[0] if isinstance(group, list) and group and isinstance(group[0], str) else ""
    sent = min(_tensors(values[0]), MOST_NS) if at > _PAIR else 0
    yield TracedCall(function, str(values[at]), named, number, message, sent)


def _tensors(value: object) -> int:
    """Bytes of a tensor, [id, storage, offset, elements, bytes of one, device], or of a list."""
    if not isinstance(value, list) or not value:
        return 0
    if isinstance(value[-1], str) and len(value) > _SIZE[1]:
        elements, each = (value[at] for at in _SIZE)
        whole = isinstance(elements, int) and isinstance(each, int)
        return max(0, elements * each) if whole else 0
    return sum(map(_tensors, value))


def _groups(node: _Node) -> list[_Group]:
    text = next((each for each in _values(node) if isinstance(each, str)), "[]")
    return msgspec.json.decode(text.encode(), type=list[_Group])


def paired(ranks: Sequence[Rank], traces: Sequence[ExecutionTrace]) -> list[ExecutionTrace]:
    """Adds the collectives of execution traces to their ranks.

    A trace belongs to the rank whose file has the same name without suffixes. If no names agree,
    and there are as many traces as ranks, the numbers in the names decide.

    Returns:
        Traces that do not belong to any rank, or do not have their rank's steps.
    """
    named = {_stem(rank.name): rank for rank in ranks}
    pairs = [(named.get(_stem(trace.name)), trace) for trace in traces]
    if len(ranks) == len(traces) and not any(rank for rank, _ in pairs):
        pairs = [*zip(ranks, sorted(traces, key=_numbers), strict=True)]
    return [trace for rank, trace in pairs if rank is None or not _told(rank, trace)]


def _stem(name: str) -> str:
    return _PARTS.sub("", PurePath(name).name)


def _numbers(trace: ExecutionTrace) -> list[int]:
    return [int(each[:18]) for each in _NUMBERS.findall(PurePath(trace.name).name)]


def _told(rank: Rank, trace: ExecutionTrace) -> bool:
    """Adds a trace to a rank; false if the trace does not have the rank's steps."""
    events = [each for each in rank.operators if each.name == _COMMS]
    by_function = {each.function: each for each in trace.called if each.function}
    if any(event.args.function for event in events):
        pairs = [(event, by_function.get(event.args.function or 0)) for event in events]
    elif len(events) == len(trace.called):
        pairs = [*zip(events, trace.called, strict=True)]
    else:
        return False
    for event, called in pairs:
        if called is not None and called.collective != "wait":
            _tell(event, called)
    for name, members in trace.groups.items():
        rank.groups.setdefault(name, members)
        rank.descriptions.setdefault(name, trace.descriptions[name])
    return not events or any(called for _, called in pairs)


def _tell(event: Event, called: TracedCall) -> None:
    args = event.args
    if called.bytes and not args.inputs and not args.outputs:
        whole = called.bytes * max(1, args.group_size)
        args = msgspec.structs.replace(args, inputs=called.bytes, outputs=whole, dtype="byte")
    event.args = msgspec.structs.replace(
        args,
        collective=args.collective or called.collective,
        group=args.group or called.group,
        sequence=args.sequence if args.sequence is not None or called.message else called.sequence,
    )
