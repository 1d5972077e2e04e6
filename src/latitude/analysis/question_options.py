"""Questions about a program: options of commands, and keywords of `latitude.analyze`."""

from dataclasses import dataclass
from typing import Any

from latitude.analysis.answer import CRITICAL, Listed
from latitude.analysis.otherwise import Otherwise
from latitude.model.theta import TOLERANCES, Sweep
from latitude.sections import SECTIONS, check_sections
from latitude.units.options import Options, option
from latitude.units.quantities import parse_fraction, parse_interval, parse_time, parse_whole


def parse_tolerances(text: str) -> tuple[float, ...]:
    """Parses degradations, e.g. `0.01,0.02,0.05` or `1%,2%,5%`."""
    return tuple(
        parse_fraction(part, "tolerance", "0.01,0.02,0.05 or 1%,2%,5%") for part in text.split(",")
    )


def parse_critical(text: str) -> Listed:
    """Parses the number of critical latencies to list: `1,000`, or `all`."""
    what = "a number of critical latencies, or all"
    return Listed(None if text == "all" else parse_whole(text, what, 1))


def parse_sections(text: str) -> tuple[str, ...]:
    """Parses names of sections: `waits,slack`."""
    names = tuple(name.strip() for name in text.split(","))
    check_sections(names)
    return names


def tolerance_option(**more: Any) -> Any:
    """The option --tolerance, a tuple of shares."""
    default = ",".join(f"{share:g}" for share in TOLERANCES)
    return option(
        "degradations for which to find the tolerated latency, e.g. 0.01,0.02 or 1%,2% "
        f"(default: {default})",
        "SHARES",
        parse_tolerances,
        default=TOLERANCES,
        **more,
    )


@dataclass(kw_only=True)
class QuestionOptions(Options, topic="questions"):
    """Questions about the graph."""

    latency: tuple[float, float] | None = option(
        "interval of L for the curve and the critical latencies, e.g. 3us:103us "
        "(default: L to L + 100us, or as far as the tolerances)",
        "LOW:HIGH",
        lambda text: parse_interval(text, "latency"),
        often=True,
    )
    sweep: Sweep | None = option(
        "vary another parameter instead of L, e.g. l_wire=274ns:3us or G=0.018ns:1ns; "
        "also o, d_switch, g, or L, G, o, g of a link rule, e.g. L:intra (default: L, or "
        "l_wire with --topology)",
        "PARAMETER[=LOW:HIGH]",
        Sweep.parse,
    )
    tolerance: tuple[float, ...] = tolerance_option(often=True)
    critical: Listed | None = option(
        "number of critical latencies to list, from the interval's lower end, or `all`; beyond "
        f"them T is known within 0.01% (default: {CRITICAL:,}; none if the trace is streamed)",
        "N",
        parse_critical,
    )
    what_if: list[Otherwise] = option(
        "also answer for a changed program: `balanced` spreads computation evenly over ranks, "
        "and solve=0.5 scales the computation before the MPI calls of a function, line or kind of "
        "call. A job's gpu, cpu and modules take factors, too. For a job, all_reduce=tree changes "
        "the algorithm, nccl=20us takes the algorithms that are fastest with 20 µs more latency, "
        "and ranks-per-node=16 changes the nodes; may be repeated",
        "CHANGE",
        Otherwise.parse,
        repeated=True,
    )
    sections: tuple[str, ...] | None = option(
        f"sections of the result in addition to the answer: {', '.join(SECTIONS)} (default: all)",
        "A,B,…",
        parse_sections,
    )
    without: tuple[str, ...] = option(
        "sections to leave out, from the same list", "A,B,…", parse_sections, default=()
    )
    cost: list[float] = option(
        "find the cost of this extra latency (or extra amount of --sweep's parameter), "
        "e.g. 300ns; may be repeated",
        "TIME",
        lambda text: parse_time(text, "cost", "300ns"),
        repeated=True,
    )
    limit: list[float] = option(
        "find the latency at which T reaches this runtime, e.g. 2.5s; may be repeated",
        "TIME",
        lambda text: parse_time(text, "limit", "2.5s"),
        repeated=True,
    )
