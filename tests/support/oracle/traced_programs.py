"""Small random MPI programs as liballprof text: blocking, synchronous and non-blocking calls, and
where asked for collectives.

Every call gets a place on one time line on which the program can run to its end, whatever the
eager limit, so it cannot deadlock.
"""

from dataclasses import dataclass
from random import Random

from .programs import EAGER_LIMIT

_WORLD = 94266891747968
_REQUEST = 94267000000000


@dataclass
class _Call:
    when: float
    rank: int
    name: str
    arguments: str


def random_trace(rng: Random, messages: int = 6, collectives: int = 0) -> list[str]:
    """The text of every rank's file: 2 to 4 ranks, at most these messages and collectives."""
    ranks = rng.randint(2, 4)
    calls: list[_Call] = []
    messages = rng.randint(1, messages)
    for message in range(messages):
        calls += _message(rng, ranks, message)
    for number in range(rng.randint(0, collectives)):
        calls += _collective(rng, ranks, messages + number)
    calls.sort(key=lambda call: call.when)
    return [_file(rng, [c for c in calls if c.rank == rank]) for rank in range(ranks)]


def _message(rng: Random, ranks: int, tag: int) -> list[_Call]:
    source = rng.randrange(ranks)
    target = (source + rng.randint(0, ranks - 1)) % ranks
    size = rng.choice([1, 4, EAGER_LIMIT, EAGER_LIMIT + 1, 16])
    synchronous = rng.random() < 0.2
    waits_for_recv = synchronous or size > EAGER_LIMIT
    first, second, third, fourth = sorted(rng.random() for _ in range(4))
    send_request, recv_request = _REQUEST + 16 * tag, _REQUEST + 16 * tag + 8
    letter = "s" if synchronous else ""

    def sending(when: float, *, blocking: bool) -> _Call:
        name = f"MPI_{letter.upper()}send" if blocking else f"MPI_I{letter}send"
        name = "MPI_Send" if name == "MPI_send" else name
        end = "" if blocking else f":{send_request}"
        return _Call(when, source, name, _envelope(source, ranks, size, target, tag) + end)

    def receiving(when: float, *, blocking: bool) -> _Call:
        end = f":{_REQUEST - 8}" if blocking else f":{recv_request}"
        name = "MPI_Recv" if blocking else "MPI_Irecv"
        return _Call(when, target, name, _envelope(target, ranks, size, source, tag) + end)

    def wait(when: float, rank: int, request: int) -> _Call:
        return _Call(when, rank, "MPI_Wait", f"{request}:{_REQUEST - 8}")

    styles = ["posted first", "received blocking", "both non-blocking"]
    if not waits_for_recv:
        styles.append("both blocking")
    match rng.choice(styles):
        case "posted first":
            return [
                receiving(first, blocking=False),
                sending(second, blocking=True),
                wait(third, target, recv_request),
            ]
        case "received blocking":
            return [
                sending(first, blocking=False),
                receiving(second, blocking=True),
                wait(third, source, send_request),
            ]
        case "both blocking":
            return [sending(first, blocking=True), receiving(second, blocking=True)]
        case _:
            early, late = rng.sample([first, second], 2), rng.sample([third, fourth], 2)
            return [
                sending(early[0], blocking=False),
                receiving(early[1], blocking=False),
                wait(late[0], source, send_request),
                wait(late[1], target, recv_request),
            ]


_TYPE = "2,1,1"
_COLLECTIVES = {
    "Barrier": "{comm}",
    "Bcast": f"94267529573904:{{size}}:{_TYPE}:{{root}}:{{comm}}",
    "Reduce": f"94267529573904:94267529573905:{{size}}:{_TYPE}:3:{{root}}:{{comm}}",
    "Allreduce": f"94267529573904:94267529573905:{{size}}:{_TYPE}:3:{{comm}}",
    "Scan": f"94267529573904:94267529573905:{{size}}:{_TYPE}:3:{{comm}}",
    "Gather": f"94267529573904:{{size}}:{_TYPE}:94267529573905:{{size}}:{_TYPE}:{{root}}:{{comm}}",
    "Scatter": f"94267529573904:{{size}}:{_TYPE}:94267529573905:{{size}}:{_TYPE}:{{root}}:{{comm}}",
    "Alltoall": f"94267529573904:{{size}}:{_TYPE}:94267529573905:{{size}}:{_TYPE}:{{comm}}",
}


def _collective(rng: Random, ranks: int, number: int) -> list[_Call]:
    """A call of all ranks; a non-blocking one is completed later, by each when it likes."""
    name, fields = rng.choice(list(_COLLECTIVES.items()))
    size, root, when = rng.choice([1, 4, EAGER_LIMIT + 1]), rng.randrange(ranks), rng.random()
    request = _REQUEST + 16 * number
    blocking = rng.random() < 0.6
    calls: list[_Call] = []
    for rank in range(ranks):
        arguments = fields.format(size=size, root=root, comm=f"{_WORLD},{rank},{ranks}")
        if blocking:
            calls.append(_Call(when, rank, f"MPI_{name}", arguments))
        else:
            calls.append(_Call(when, rank, f"MPI_I{name.lower()}", f"{arguments}:{request}"))
            later = rng.uniform(when, 1)
            calls.append(_Call(later, rank, "MPI_Wait", f"{request}:{_REQUEST - 8}"))
    return calls


def _envelope(rank: int, ranks: int, size: int, peer: int, tag: int) -> str:
    return f"94267529573904:{size}:2,1,1:{peer}:{tag}:{_WORLD},{rank},{ranks}"


def _file(rng: Random, calls: list[_Call]) -> str:
    now = 10
    lines = ["# small random program", "", f"MPI_Init:-:140732362780924:140732362780912:{now}"]
    for call in calls:
        start = now + rng.choice([0, 0, 1, 2, 5, 20])
        now = start + rng.choice([0, 1, 7])
        lines.append(f"{call.name}:{start}:{call.arguments}:{now}")
    lines.append(f"MPI_Finalize:{now + rng.choice([0, 3])}:-")
    return "\n".join(lines) + "\n"
