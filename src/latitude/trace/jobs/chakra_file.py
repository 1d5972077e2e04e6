"""Chakra execution traces (`.et`): the nodes of one rank, as length-prefixed protobuf messages.

Numbers of fields and types are from Chakra's schema.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from latitude._core import InputError
from latitude.trace.jobs.wire import (
    fields,
    numbers,
    put_bytes,
    put_number,
    put_varint,
    signed,
    varint,
)

METADATA, MEM_LOAD, MEM_STORE, COMP, SEND, RECV, COLL = range(1, 8)
"""Types of nodes."""
COLLECTIVES = (
    "all_reduce",
    "reduce",
    "all_gather",
    "gather",
    "scatter",
    "broadcast",
    "all_to_all",
    "reduce_scatter",
    "reduce_scatter",
    "barrier",
)
"""Kinds of collectives by `comm_type`."""
NANOSECONDS = "duration_nanos"
"""Latitude's own attribute: a node's duration, if it is not a whole number of µs."""
_WANTED = frozenset(
    {
        *(b"comm_type", b"comm_size", b"comm_src", b"comm_dst", b"comm_tag", b"pg_name"),
        *(b"involved_dim", b"is_cpu_op", b"stream", b"tid", b"num_ops", b"tensor_size"),
        NANOSECONDS.encode(),
    }
)
_INT32 = frozenset({"comm_src", "comm_dst", "comm_tag"})
_NUMBER, _CALLED, _TYPE, _CONTROL, _DATA, _MICROS, _INPUTS, _ATTRIBUTE = 1, 2, 3, 4, 5, 7, 8, 10
"""Fields of a node."""
_NAME, _INT32_VALUE, _INT64_VALUE, _BOOL, _BOOLS, _TEXT = 1, 7, 9, 27, 28, 29
"""Fields of an attribute."""
_SIGNED = frozenset({_INT32_VALUE, _INT64_VALUE})
_ZIGZAG = frozenset({15, 17})
_UNSIGNED = frozenset({11, 13, 19, 21, 23, 25, _BOOL})
_MOST_NAME = 200
Value = int | bool | str | list[int]


@dataclass(slots=True)
class Node:
    """The parts of a node that a job needs."""

    number: int
    type: int
    name: str = ""
    after: list[int] = field(default_factory=list)
    """Numbers of nodes for whose end the node waits: `data_deps`."""
    ns: int = 0
    attributes: dict[str, Value] = field(default_factory=dict)
    control: list[int] = field(default_factory=list)
    """Numbers of nodes in `ctrl_deps`."""
    values: str = ""
    """Values of the inputs; kept for metadata only."""
    at: int = 0
    """Position of the node's first byte in the file."""


def read_nodes(content: bytes) -> list[Node]:
    """The nodes of a file, in order. InputError names the byte."""
    end = len(content)
    length, at = varint(content, 0, end)
    if length > end - at:
        raise InputError(f"byte 0: not a Chakra trace, as its metadata would have {length:,} bytes")
    for _ in fields(content, at, at + length):
        pass
    at += length
    nodes: dict[int, Node] = {}
    while at < end:
        length, begin = varint(content, at, end)
        if length > end - begin:
            raise InputError(
                f"byte {at:,}: a node of {length:,} bytes, cut off after {end - begin:,}"
            )
        node = _node(content, at, begin, begin + length)
        if nodes.setdefault(node.number, node) is not node:
            raise InputError(f"byte {at:,}: there are two nodes {node.number}")
        at = begin + length
    return list(nodes.values())


def _node(content: bytes, at: int, begin: int, end: int) -> Node:
    node = Node(0, 0, at=at)
    plain: dict[int, int] = {}
    deps = {_DATA: node.after, _CONTROL: node.control}
    for key, value, stop in fields(content, begin, end):
        if stop < 0:
            plain[key] = value
            if key in deps:
                deps[key].append(value)
        elif key == _ATTRIBUTE:
            name, held = _attribute(content, value, stop)
            if name:
                node.attributes[name] = held
        elif key in deps:
            deps[key] += numbers(content, value, stop)
        elif key == _CALLED:
            node.name = content[value : min(stop, value + _MOST_NAME)].decode(errors="replace")
        elif key == _INPUTS and plain.get(_TYPE) == METADATA:
            node.values = _first_text(content, value, stop)
    node.number, node.type = plain.get(_NUMBER, 0), plain.get(_TYPE, 0)
    own = node.attributes.pop(NANOSECONDS, None)
    node.ns = own if isinstance(own, int) else 1000 * plain.get(_MICROS, 0)
    return node


def _attribute(content: bytes, at: int, end: int) -> tuple[str, Value]:
    """Name and value of an attribute; the name is empty unless it is in _WANTED."""
    length = content[at + 1] if end - at > 1 and content[at] == _NAME << 3 | 2 else 0
    if length and content[at + 2 : at + 2 + length] not in _WANTED:
        return "", 0
    name, held = "", 0  # type: str, Value
    for key, value, stop in fields(content, at, end):
        if key == _NAME and stop >= 0:
            name = content[value:stop].decode(errors="replace")
        elif key in _SIGNED and stop < 0:
            held = signed(value)
        elif key in _ZIGZAG and stop < 0:
            held = value >> 1 ^ -(value & 1)
        elif key in _UNSIGNED and stop < 0:
            held = value
        elif key == _TEXT and stop >= 0:
            held = content[value : min(stop, value + _MOST_NAME)].decode(errors="replace")
        elif key == _BOOLS and stop >= 0:
            held = _numbers_in(content, value, stop)
    return (name, held) if name.encode() in _WANTED else ("", 0)


def _numbers_in(content: bytes, at: int, end: int) -> list[int]:
    """Numbers in a list, packed or not."""
    found = []
    for _, value, stop in fields(content, at, end):
        found += [value] if stop < 0 else numbers(content, value, stop)
    return found


def _first_text(content: bytes, at: int, end: int) -> str:
    for key, value, stop in fields(content, at, end):
        if key == 1 and stop >= 0:
            return content[value:stop].decode(errors="replace")
    return ""


def written(nodes: Iterable[Node], version: str = "0.0.4") -> bytes:
    """The content of a file with these nodes."""
    made = [_sized(put_bytes(1, version.encode()))]
    made += [_sized(_encoded(node)) for node in nodes]
    return b"".join(made)


def _sized(message: bytes) -> bytes:
    return put_varint(len(message)) + message


def _encoded(node: Node) -> bytes:
    attributes = dict(node.attributes)
    if node.ns % 1000:
        attributes[NANOSECONDS] = node.ns
    dependencies = ((_CONTROL, node.control), (_DATA, node.after))
    return b"".join(
        [
            put_number(_NUMBER, node.number),
            put_bytes(_CALLED, node.name.encode()),
            put_number(_TYPE, node.type),
            *(
                put_bytes(field, b"".join(map(put_varint, numbers)))
                for field, numbers in dependencies
                if numbers
            ),
            put_number(_MICROS, node.ns // 1000),
            put_bytes(_INPUTS, put_bytes(1, node.values.encode())) if node.values else b"",
            *(put_bytes(_ATTRIBUTE, _put_attribute(*each)) for each in attributes.items()),
        ]
    )


def _put_attribute(name: str, value: Value) -> bytes:
    made = put_bytes(_NAME, name.encode())
    if isinstance(value, str):
        return made + put_bytes(_TEXT, value.encode())
    if isinstance(value, list):
        return made + put_bytes(_BOOLS, put_bytes(1, bytes(value)))
    key = _BOOL if isinstance(value, bool) else _INT32_VALUE if name in _INT32 else _INT64_VALUE
    return made + put_varint(key << 3) + put_varint(value)
