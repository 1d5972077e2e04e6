"""Archives read and written by OTF2's own Python package, which tools/need-otf2.sh brings."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .needed import need
from .paths import ROOT

WRITER = ROOT / "build" / "otf2-writer"
TICKS_PER_S = 1_000_000_000


def otf2() -> Any:
    """The package; the test fails where it is missing."""
    need("OTF2", there=WRITER.is_dir(), script="need-otf2.sh")
    if str(WRITER) not in sys.path:
        sys.path.append(str(WRITER))
    import otf2  # noqa: PLC0415
    import otf2.enums  # noqa: PLC0415
    import otf2.reader  # noqa: PLC0415

    return otf2


class Rank:
    """One process, whose records within a call are given as (method of the writer, arguments…)."""

    def __init__(self, events: Any, region: Callable[[str], Any]) -> None:
        self.events = events
        self._region = region

    def call(self, name: str, enter: int, leave: int, *records: tuple[Any, ...]) -> None:
        """A call with its records; their times are that of its end."""
        self.events.enter(enter, self._region(name))
        for method, *arguments in records:
            getattr(self.events, method)(leave, *arguments)
        self.events.leave(leave, self._region(name))


class Archive:
    """An archive that is being written."""

    def __init__(self, trace: Any, ranks: int) -> None:
        self._enums = otf2().enums
        self.definitions = trace.definitions
        self._trace = trace
        self._regions: dict[str, Any] = {}
        self._threads = 0
        self._node = self.definitions.system_tree_node("node")
        self.threads = [
            self.definitions.location("thread", group=self._process(f"rank {rank}"))
            for rank in range(ranks)
        ]
        self.definitions.group(
            "ranks",
            group_type=self._enums.GroupType.COMM_LOCATIONS,
            paradigm=self._enums.Paradigm.MPI,
            members=self.threads,
        )
        self.world = self.communicator(range(ranks))
        self.ranks = [
            Rank(trace.event_writer_from_location(thread), self.region) for thread in self.threads
        ]

    def _process(self, name: str) -> Any:
        kind = self._enums.LocationGroupType.PROCESS
        return self.definitions.location_group(
            name, location_group_type=kind, system_tree_parent=self._node
        )

    def another_thread(self, rank: int) -> Rank:
        """Another thread of a rank's process, in addition to the one that MPI knows."""
        return self._thread(self.threads[rank].group)

    def stranger(self) -> Rank:
        """A thread of a process that is not a rank."""
        return self._thread(self._process("stranger"))

    def _thread(self, process: Any) -> Rank:
        self._threads += 1  # locations of one name are one
        thread = self.definitions.location(f"other thread {self._threads}", group=process)
        return Rank(self._trace.event_writer_from_location(thread), self.region)

    def communicator(self, members: Sequence[int]) -> Any:
        """A communicator of these ranks, in this order."""
        group = self.definitions.group(
            "members",
            group_type=self._enums.GroupType.COMM_GROUP,
            paradigm=self._enums.Paradigm.MPI,
            members=list(members),
        )
        return self.definitions.comm("communicator", group)

    def region(self, name: str) -> Any:
        """A call, or a function of the program."""
        if name not in self._regions:
            self._regions[name] = self.definitions.region(name)
        return self._regions[name]

    def collective(self, name: str, comm: Any, root: int | None, sent: int, got: int) -> Any:
        """The record of a blocking collective; name as `BCAST`."""
        operation = getattr(self._enums.CollectiveOp, name)
        undefined = self._enums.CollectiveRoot.NONE if hasattr(self._enums, "CollectiveRoot") else 0
        return (
            "mpi_collective_end",
            operation,
            comm,
            undefined if root is None else root,
            sent,
            got,
        )


@contextmanager
def archive(path: Path, ranks: int) -> Iterator[Archive]:
    """Writes an archive into a folder that does not exist; its anchor is `path / "traces.otf2"`."""
    with otf2().writer.open(str(path), timer_resolution=TICKS_PER_S) as trace:
        yield Archive(trace, ranks)


def read(anchor: Path) -> list[tuple[Any, Any]]:
    """(location, event) of all of an archive's events, by time."""
    with otf2().reader.open(str(anchor)) as source:
        return list(source.events)


def copy(anchor: Path, path: Path) -> None:
    """Writes an archive once more, with what OTF2 has fields for and nothing else.

    Attributes and properties are left out, so that a copy says what a recorder's archive says.
    """
    with otf2().reader.open(str(anchor)) as source:
        ranks = len(source.definitions.location_groups)
        with archive(path, ranks) as target:
            number = {location: rank for rank, location in enumerate(source.definitions.locations)}
            communicators: dict[Any, Any] = {}
            for communicator in source.definitions.comms:
                members = [number[location] for location in communicator.group.members]
                is_world = not communicators  # the first
                made = target.world if is_world else target.communicator(members)
                communicators[communicator] = made
            for location, event in source.events:
                if type(event).__name__ in ("CommCreate", "CommDestroy"):
                    continue  # newer than many a recorder
                event.attributes = None
                if hasattr(event, "region"):
                    event.region = target.region(event.region.name)
                if hasattr(event, "communicator"):
                    event.communicator = communicators[event.communicator]
                target.ranks[number[location]].events.write(event)
