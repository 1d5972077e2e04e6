"""Results in sentences; the terminal and the page say the same."""

import math
import re
from pathlib import PurePath

from latitude.callsites import CallSiteShare
from latitude.results import Analysis, Tolerance
from latitude.units import format_count, format_share, format_time

_SUFFIXES = re.compile(r"(\.(tar|xz|gz|zst|bz2|tgz|goal|bin))+$")


def program_name(analysis: Analysis) -> str:
    """What to call the program: the input's name without its suffixes."""
    return name_of(analysis.provenance.input)


def name_of(path: str) -> str:
    """An input's name without its suffixes."""
    name = PurePath(path).name or path
    return _SUFFIXES.sub("", name) or name


def slower(tolerance: Tolerance) -> str:
    """The limit of a tolerance: `1%`."""
    return format_share(tolerance.degradation)


def headline(analysis: Analysis) -> str:
    """The answer in one sentence."""
    if not analysis.tolerance:
        return f"This program runs {format_time(analysis.baseline.T_ns)} on this network."
    first, *rest = analysis.tolerance
    if math.isinf(first.delta_L_ns):
        return (
            f"No network latency, however high, makes this program {slower(first)} slower: "
            "its critical path has no room for it."
            if analysis.graph.messages
            else "This program sends no messages: network latency cannot slow it down."
        )
    sentence = (
        f"This program tolerates {format_time(first.delta_L_ns, 3)} of extra network latency "
        f"before it runs {slower(first)} slower"
    )
    parts = [
        f"{format_time(t.delta_L_ns, 3)} before {slower(t)}"
        for t in rest
        if math.isfinite(t.delta_L_ns)
    ]
    never = [slower(t) for t in rest if math.isinf(t.delta_L_ns)]
    text = _listed([sentence, *parts])
    return text + (f"; it never becomes {never[0]} slower." if never else ".")


def _listed(parts: list[str]) -> str:
    """`a`, `a, and b`, `a, b, and c`."""
    if len(parts) == 1:
        return parts[0]
    return ", ".join(parts[:-1]) + ", and " + parts[-1]


def baseline_sentence(analysis: Analysis) -> str:
    """T, λ_L and ρ_L in one sentence."""
    base = analysis.baseline
    if base.lambda_L == 0:
        return (
            f"At L = {format_time(base.L_ns)} it runs {format_time(base.T_ns)}, and no message "
            "latency lies on its critical path (λ_L = 0)."
        )
    count = format_count(base.lambda_L)
    noun = "latency lies" if base.lambda_L == 1 else "latencies lie"
    return (
        f"At L = {format_time(base.L_ns)} it runs {format_time(base.T_ns)}; {count} message "
        f"{noun} one after another on its critical path (λ_L), {format_share(base.rho_L)} of its "
        f"runtime (ρ_L)."
    )


def call_site_sentence(analysis: Analysis) -> str:
    """Which line of the program carries most of λ_L."""
    total = sum(share.lambda_L for share in analysis.by_call_site)
    if not total:
        return "No call whose place is known has a message on the critical path."
    top = analysis.by_call_site[0]
    call = next(iter(top.calls), "")
    sent = f", most of them sent from {top.sent_from.where}" if top.sent_from else ""
    return (
        f"{call_site_name(top)} ({call}) receives {format_share(top.lambda_L / total)} of the "
        f"{format_count(total)} latencies on the critical path{sent}."
    )


def call_site_name(share: CallSiteShare) -> str:
    """A place in the source: `comm.c:88 in exchange`, or what is known of it."""
    if share.function is None or share.line is None:
        return share.where
    return f"{share.where} in {share.function}"


def tolerance_value(tolerance: Tolerance) -> str:
    """Extra latency tolerated, or that there is no limit: `+12.3 µs`, `unlimited`."""
    if math.isinf(tolerance.delta_L_ns):
        return "unlimited"
    return f"+{format_time(tolerance.delta_L_ns)}"


def rendezvous_sentence(analysis: Analysis) -> str:
    """The reading of the rendezvous protocol."""
    return {
        "handshake": "request, answer, data: three latencies",
        "llamp": "as in LLAMP's 2024 code: three latencies after the match",
        "sync": "the sender waits for the receiver; no latency for the handshake (as LogGOPSim)",
    }[analysis.network.rendezvous]
