"""Results in sentences; the terminal and the page say the same."""

import math

from latitude.analysis.call_sites import CallSiteShare
from latitude.analysis.compare import Compared, Comparison
from latitude.analysis.near_paths import NearPath
from latitude.files.provenance import input_name
from latitude.results.analysis import Analysis, Tolerance
from latitude.units.quantities import format_count, format_share, format_time

_SAME = 1e-6
"""Runtimes that differ by a smaller share are called the same."""


def program_name(analysis: Analysis) -> str:
    """What to call the program."""
    return input_name(analysis.provenance.input)


def slower(tolerance: Tolerance) -> str:
    """The limit of a tolerance: `1%`."""
    return format_share(tolerance.degradation)


def headline(analysis: Analysis) -> str:
    """The answer in one sentence."""
    if not analysis.tolerance:
        return f"This program runs {format_time(analysis.baseline.T_ns)} on this network."
    first, *rest = analysis.tolerance
    theta = analysis.theta
    if math.isinf(first.delta):
        return (
            f"No {theta.meaning}, however high, makes this program {slower(first)} slower: "
            "its critical path has no room for it."
            if analysis.graph.messages
            else "This program sends no messages: network latency cannot slow it down."
        )
    sentence = (
        f"This program tolerates {theta.difference(first.delta, 3)} of extra {theta.meaning} "
        f"before it runs {slower(first)} slower"
    )
    parts = [
        f"{theta.difference(t.delta, 3)} before {slower(t)}" for t in rest if math.isfinite(t.delta)
    ]
    never = [slower(t) for t in rest if math.isinf(t.delta)]
    text = _listed([sentence, *parts])
    return text + (f"; it never becomes {never[0]} slower." if never else ".")


def _listed(parts: list[str]) -> str:
    """`a`, `a, and b`, `a, b, and c`."""
    if len(parts) == 1:
        return parts[0]
    return ", ".join(parts[:-1]) + ", and " + parts[-1]


def baseline_sentence(analysis: Analysis) -> str:
    """T, λ_L and ρ_L in one sentence."""
    base, theta = analysis.baseline, analysis.theta
    at = f"At {theta.symbol} = {theta.text(theta.base)} it runs"
    if base.lambda_L == 0:
        return (
            f"{at} {format_time(base.T_ns)}, and no message "
            "latency lies on its critical path (λ_L = 0)."
        )
    count = format_count(base.lambda_L)
    noun = "latency lies" if base.lambda_L == 1 else "latencies lie"
    if any(link.intra for link in analysis.links.classes):
        noun = f"{noun.split(maxsplit=1)[0]} between nodes {noun.split()[1]}"
    return (
        f"{at} {format_time(base.T_ns)}; {count} message "
        f"{noun} one after another on its critical path (λ_L), {format_share(base.rho_L)} of its "
        f"runtime (ρ_L).{_slope_sentence(analysis)}"
    )


def _slope_sentence(analysis: Analysis) -> str:
    """λ of another parameter than L."""
    theta, slope = analysis.theta, analysis.sensitivity.slope
    if theta.name == "L":
        return ""
    step = "ns a byte" if theta.unit == "ns/B" else "ns"
    return (
        f" Each extra {step} of {theta.symbol} costs {format_count(slope)} ns (λ_{theta.symbol})."
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


def tolerance_value(analysis: Analysis, tolerance: Tolerance) -> str:
    """How much more of θ is tolerated, or that there is no limit: `+12.3 µs`, `unlimited`."""
    if math.isinf(tolerance.delta):
        return "unlimited"
    return f"+{analysis.theta.difference(tolerance.delta)}"


def rendezvous_sentence(analysis: Analysis) -> str:
    """The reading of the rendezvous protocol."""
    return {
        "handshake": "request, answer, data: three latencies",
        "put": "request, answer, data put, acknowledgement, notice: five latencies",
        "get": "request, data asked for and got: three latencies, a fourth to the sender",
        "llamp": "as in LLAMP's 2024 code: three latencies after the match",
        "sync": "the sender waits for the receiver; no latency for the handshake (as LogGOPSim)",
    }[analysis.network.rendezvous]


def compared_headline(comparison: Comparison) -> str:
    """Which alternative is fastest, and by how much."""
    rows = comparison.alternatives
    best = min(rows, key=lambda found: found.T_ns)
    worst = max(rows, key=lambda found: found.T_ns)
    at = f"{comparison.theta.symbol} = {comparison.theta.text(comparison.theta.base)}"
    if any(found.theta.base != comparison.theta.base for found in rows):
        at = "its baseline"
    if worst.T_ns - best.T_ns <= _SAME * worst.T_ns:
        return f"All alternatives take the same time at {at}: {format_time(best.T_ns)}."
    return (
        f"{best.label} is fastest at {at}: {format_time(best.T_ns)}, against "
        f"{format_time(worst.T_ns)} with {worst.label} "
        f"({format_share(worst.T_ns / best.T_ns - 1)} more)."
    )


def compared_sentence(comparison: Comparison) -> str:
    """What is fastest at the far end of the interval."""
    end = comparison.theta.text(comparison.interval[1])
    best = min(comparison.alternatives, key=lambda found: found.curve.T_ns[-1])
    return (
        f"At {comparison.theta.symbol} = {end} it is {best.label}, with "
        f"{format_time(float(best.curve.T_ns[-1]))}."
    )


def comparison_table(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """Head and rows, as plain text: T, λ, ρ and tolerances of each alternative."""
    first, theta = comparison.alternatives[0], comparison.theta
    head = ["", "T", "against the first", f"λ_{theta.symbol}", f"ρ_{theta.symbol}"]
    head += [f"{slower(t)} slower at" for t in first.tolerance]
    rows = []
    for found in comparison.alternatives:
        change = found.T_ns / first.T_ns - 1 if first.T_ns else 0.0
        row = [found.label, format_time(found.T_ns), "–" if found is first else f"{change:+.2%}"]
        row += [format_count(found.slope), format_share(found.share)]
        rows.append(row + [tolerated(found, i) for i in range(len(found.tolerance))])
    return head, rows


def tolerated(found: Compared, index: int) -> str:
    """How much more of θ an alternative takes up to its index-th limit: `+12.3 µs`, `never`."""
    tolerance = found.tolerance[index]
    if math.isinf(tolerance.delta):
        return "never"
    return f"+{found.theta.difference(tolerance.delta, 3)}"


def near_sentence(analysis: Analysis) -> str:
    """How far the second longest path is, and where it goes."""
    _, second, *_ = analysis.near_paths
    tied = sum(not path.shorter_ns for path in analysis.near_paths)
    if tied > 1:
        many = f"{tied} or more" if tied == len(analysis.near_paths) else f"{tied}"
        return (
            f"{many} paths are equally long: all must get shorter before the program runs faster."
        )
    share = second.shorter_ns / analysis.baseline.T_ns
    where = f"goes through {via(second, 1)}" if second.others else "waits for fewer messages"
    return (
        f"The second path is {format_time(second.shorter_ns, 3)} shorter ({format_share(share)} of "
        f"the runtime); it {where}."
    )


def via(path: NearPath, count: int) -> str:
    """The first `count` messages that tell a path from the critical one."""
    return ", ".join(f"rank {w.source} → {w.destination} ({w.call})" for w in path.through[:count])
