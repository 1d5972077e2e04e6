"""A Paraver trace of what an OTF2 archive holds, by the two formats' own documents."""

from collections import defaultdict, deque
from pathlib import Path
from typing import Any

from .otf2_archive import read

_CALLS = {
    "MPI_Send": (50000001, 1),
    "MPI_Recv": (50000001, 2),
    "MPI_Init": (50000003, 31),
    "MPI_Finalize": (50000003, 32),
}
"""Type and value of a call's event, in Extrae's numbering."""


def write(anchor: Path, path: Path) -> Path:
    """Writes an archive of blocking messages between all ranks of a world as `path`, a .prv."""
    ranks: dict[Any, int] = {}
    lines: list[tuple[int, str]] = []
    entered: dict[int, int] = {}
    sent: dict[tuple[int, int, int], deque[tuple[int, int]]] = defaultdict(deque)
    received: dict[tuple[int, int, int], deque[tuple[int, int]]] = defaultdict(deque)
    last = 0
    for location, event in read(anchor):
        rank = ranks.setdefault(location, int(location.group.name.split()[-1]))
        last = max(last, event.time)
        match type(event).__name__:
            case "Enter" | "Leave" as kind:
                number, value = _CALLS[event.region.name]
                shown = value if kind == "Enter" else 0
                if kind == "Enter":
                    entered[rank] = event.time
                task = f"{rank + 1}:1:{rank + 1}:1"
                lines.append((event.time, f"2:{task}:{event.time}:{number}:{shown}"))
            case "MpiSend":
                sent[rank, event.receiver, event.msg_tag].append((entered[rank], event.msg_length))
            case "MpiRecv":
                received[event.sender, rank, event.msg_tag].append((entered[rank], event.time))
            case kind:
                raise AssertionError(kind)
    for (sender, receiver, tag), messages in sent.items():
        ends = received[sender, receiver, tag]
        assert len(ends) == len(messages)
        for (at, size), (posted, completed) in zip(messages, ends, strict=True):
            source, target = f"{sender + 1}:1:{sender + 1}:1", f"{receiver + 1}:1:{receiver + 1}:1"
            line = f"3:{source}:{at}:{at}:{target}:{posted}:{completed}:{size}:{tag}"
            lines.append((at, line))
    count = len(ranks)
    tasks = ",".join(["1:1"] * count)
    members = ":".join(str(rank + 1) for rank in range(count))
    head = f"#Paraver (01/02/2026 at 10:11):{last}_ns:1({count}):1:{count}({tasks}),1"
    body = [text for _, text in sorted(lines, key=lambda line: line[0])]
    path.write_text("\n".join([head, f"c:1:1:{count}:{members}", *body]) + "\n")
    return path
