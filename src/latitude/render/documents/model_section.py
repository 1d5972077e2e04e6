"""The section on the model of an analysis: every parameter, and the assumptions."""

from latitude.render.document import Bullets, Line, Section, Span, Table, strong
from latitude.results.analysis import Analysis
from latitude.units.quantities import counted, format_time

_ASSUMED = (
    (
        "Computation between MPI calls takes as long as it did in the trace, whatever the "
        "latency: caches, turbo and noise are those of that run."
    ),
    "The program does the same whatever the latency: same messages, same matches, same order.",
    (
        "A rank's CPU does one thing at a time. The network is never congested: messages do not "
        "slow each other down."
    ),
)
_CONSTANT = "Latency is constant; random latency is not part of this page."
_MEANING = {
    "L": "latency of a message",
    "o": "CPU time of a message, at each end",
    "G": "time a byte takes on the wire",
    "S": "largest message sent eagerly",
    "S_isend": "the same of MPI_Isend and its kind",
    "g": "least time between two messages of a rank",
    "O": "CPU time a byte, at each end",
    "l_wire": "latency of a wire",
    "d_switch": "latency of a switch; over h of them a message takes (h + 1)·l_wire + h·d_switch",
    "gap": "who holds a rank's messages max(g, B) apart",
    "computation": "so many times what was recorded",
}
_RENDEZVOUS = {
    "handshake": "request, answer, data: three latencies",
    "put": "request, answer, data put, acknowledgement, notice: five latencies",
    "get": "request, data asked for and got: three latencies, a fourth to the sender",
    "llamp": "as in LLAMP's 2024 code: three latencies after the match",
    "sync": "the sender waits for the receiver; no latency for the handshake (as LogGOPSim)",
}
_PROGRESS = {
    True: ("in the background", "a receive answers a rendezvous while its rank computes"),
    False: ("in calls", "a receive answers a rendezvous in its rank's next call that may wait"),
}


def model_section(analysis: Analysis) -> Section:
    """Every parameter of the model with its meaning, and the assumptions."""
    model = analysis.model
    meanings = _MEANING | model.meanings
    rows: list[tuple[Span, Line, str]] = [
        (
            strong(name),
            [value, " ", Span("default", "badge")] if name in model.defaults else value,
            meanings[name],
        )
        for name, value in model.parameters.items()
    ]
    meaning = _RENDEZVOUS[model.rendezvous]
    rows.append((strong("rendezvous"), model.rendezvous, f"messages over S: {meaning}"))
    meaning = "; ".join(
        f"{link.name}: L = {format_time(link.L_ns)}, {counted(link.rank_pairs, 'rank pair')}"
        for link in model.classes
    )
    if len(model.classes) == 1 and model.mapping is None:
        meaning = "every pair of ranks has the same L and G"
    rows.append((strong("network"), model.topology, meaning))
    if model.mapping is not None:
        rows.append((strong("placement"), model.mapping, "which node each rank runs on"))
    cost = model.reduce_ns_per_byte
    combining = f"combining a byte costs {cost:g} ns" if cost else "combining bytes costs nothing"
    rows.append(
        (strong("collectives"), model.collectives, f"point-to-point algorithms; {combining}")
    )
    if model.async_progress is not None:
        rows.append((strong("progress"), *_PROGRESS[model.async_progress]))
    theta = analysis.theta
    latency = "A message meets the latency of its link; routes are the shortest."
    if len(model.classes) == 1:
        latency = "All messages meet the same L."
    varied = f" What is varied is {theta.meaning}, {theta.symbol}." if theta.name != "L" else ""
    return Section(
        "Model and assumptions",
        [
            Table(("", "value", "meaning"), rows, "model"),
            Bullets([*_ASSUMED, f"{latency}{varied} {_CONSTANT}"]),
        ],
        reading="The program is replayed as a graph of computations and messages on a LogGPS "
        "network; its runtime T is the longest path.",
    )


def closing(analysis: Analysis) -> list[str]:
    """Muted lines on the model, at the end of the terminal's text."""
    model = analysis.model
    stated = (
        f"{name} = {value}{' (default)' if name in model.defaults else ''}"
        for name, value in model.parameters.items()
    )
    mapped = "" if model.mapping is None else f"; {model.mapping}"
    return [
        f"Model: {'  '.join(stated)}",
        f"Links: {model.topology}{mapped}",
        f"Collectives: {model.collectives}",
        f"Rendezvous: {model.rendezvous}",
    ]
