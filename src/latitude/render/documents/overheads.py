"""The document's part on a trace's overheads, the CPU time of messages."""

from latitude.model.overheads import CallCost, TracedOverheads
from latitude.render.document import Line, Section, Table, code
from latitude.trace.costs import RecordedCosts
from latitude.units.quantities import counted, format_size, format_time

_SERVICE = {
    "send": "send",
    "exchange": "send and receive, each",
    "receive": "receive",
    "post": "posting a receive",
    "complete": "completing a receive",
    "complete-send": "completing a send",
}
_BRIEF = 8
"""Number of rows on the terminal."""


def overheads_parts(found: TracedOverheads | None) -> list[Section]:
    """A table of calls by kind and size; none if o is not from a trace."""
    if found is None:
        return []
    told = [each for each in found.costs if each.o_ns is not None]
    head = ("call", "what it does", "messages of", "calls", "o", "90 % interval")
    rows = [_row(each) for each in sorted(told, key=lambda each: -each.ends)]
    table = Table(head, rows, title="Overheads in the trace", brief=_BRIEF)
    left = [
        f"{found.waited:,} receives that may have waited" if found.waited else "",
        f"{found.rendezvous:,} ends of messages above S" if found.rendezvous else "",
        f"{found.to_itself:,} of messages to oneself" if found.to_itself else "",
        f"{found.unknown:,} together with others" if found.unknown else "",
    ]
    left_out = "; ".join(filter(None, left))
    clock = "" if found.one_clock else " Clocks of ranks were compared by their fastest messages."
    return [
        Section(
            "Overheads in the trace",
            [table],
            reading=f"{_sentence(found)} Medians of what calls took that waited for nothing, for "
            "each message that they served.",
            note=f"Nothing is told by {left_out}.{clock}" if left_out else clock.strip(),
        )
    ]


def costs_parts(costs: RecordedCosts | None) -> list[Section]:
    """A table of the costs of calls that may wait; empty if o is charged for all calls."""
    if costs is None or not (costs.ends or costs.collectives):
        return []
    ends = [
        (
            code(each.call),
            _SERVICE[each.service],
            f"up to {format_size(each.to_bytes)}",
            f"{each.calls:,}",
            format_time(each.ns, 3),
        )
        for each in costs.ends
    ]
    together = [
        (
            code(each.call),
            f"of {each.members:,} ranks",
            f"up to {format_size(each.to_bytes)}",
            f"{each.calls:,}",
            format_time(each.ns, 3),
        )
        for each in costs.collectives
    ]
    head = ("call", "what it does", "messages of", "calls", "cost")
    return [
        Section(
            "Costs of calls",
            [Table(head, ends + together, title="Costs of calls", brief=_BRIEF)],
            reading="Medians of what calls took in the recorded run that had nothing to wait for: "
            "for each message, and of a collective from when its last member came, without the "
            "latencies and bytes of its messages.",
        )
    ]


def costs_sentence(costs: RecordedCosts | None) -> str:
    """A sentence on the origin of calls' costs; empty if o is charged for all calls."""
    if costs is None:
        return ""
    return (
        "Calls cost what they took in the recorded run: a call that cannot wait has its own time, "
        "any other the median of its kind. If that run was on another network, use --costs loggps."
    )


def overheads_sentence(found: TracedOverheads | None) -> str:
    """A sentence on the origin of o; empty if o is not from a trace."""
    return "" if found is None else _sentence(found)


def _sentence(found: TracedOverheads) -> str:
    ends = [
        f"{name} {format_time(cost, 3)}"
        for name, cost in (("send", found.send_ns), ("receive", found.receive_ns))
        if cost is not None
    ]
    calls = counted(sum(each.calls for each in found.costs), "call")
    interval = f"{format_time(found.low_ns, 3)} … {format_time(found.high_ns, 3)}"
    byte = "" if found.O_ns_per_byte is None else f", O = {found.O_ns_per_byte:.3g} ns/B"
    of = "o and O are" if byte else "o is"
    return (
        f"{of} the trace’s: {', '.join(ends)}; o = {format_time(found.o_ns, 3)} ({interval})"
        f"{byte}, of {calls}."
    )


def _row(each: CallCost) -> tuple[Line, ...]:
    if each.o_ns is None or each.low_ns is None or each.high_ns is None:
        raise ValueError("a row is of calls whose cost is known")
    sizes = (
        f"up to {format_size(each.to_bytes)}"
        if each.from_bytes == 0
        else f"{format_size(each.from_bytes - 1)} to {format_size(each.to_bytes)}"
    )
    return (
        code(each.call),
        _SERVICE[each.service],
        sizes,
        f"{each.calls:,}",
        format_time(each.o_ns, 3),
        f"{format_time(each.low_ns, 3)} … {format_time(each.high_ns, 3)}",
    )
