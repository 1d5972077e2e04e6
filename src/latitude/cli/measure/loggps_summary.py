"""What `latitude measure loggps` prints."""

import shlex

from rich.console import Console

from latitude.measure.loggps import Measured
from latitude.measure.loggps.measured import Estimate, LinkClass
from latitude.render.terminal import plain_table, print_warnings, results_console
from latitude.units.quantities import counted, format_per_byte, format_share, format_time


def print_summary(measured: Measured, load: str | None) -> None:
    """The parameters by class of links, the ranges of sizes, the load, what to type next."""
    console = results_console()
    for each in measured.classes:
        _print_class(console, each, measured.O_used)
        console.print()
    if load is not None:
        console.print(load, markup=False)
    print_warnings(console, measured.warnings)
    file = shlex.quote(str(measured.cluster))
    console.print(f"Next: latitude analyze TRACE --network {file}", markup=False, soft_wrap=True)


def _print_class(console: Console, each: LinkClass, O: float) -> None:
    title = f"LogGPS {each.name}, {counted(each.pairs, 'pair')} of ranks"
    table = plain_table(title, "", "", "95 % interval", "")
    rows = [
        ("L", each.L, "" if each.pairs == 1 else f"pairs {_span(each.least_L, each.most_L)}"),
        ("o", each.o, "mean of both ends" if each.L.value else "L is hidden in it"),
        ("o of a send", each.o_send, _by_round_trips(each)),
        ("o of a receive", each.o_receive, ""),
        ("g", each.g, "" if each.gap_counts else "hidden by o: not used"),
    ]
    for name, estimate, remark in rows:
        table.add_row(name, format_time(estimate.value), _interval(estimate), remark)
    G = each.G(O)
    table.add_row("G", format_per_byte(G.value), _range(G), "all sizes together")
    remark = "at each end; G is less by it" if O else "not used"
    table.add_row("O", format_per_byte(each.O.value), _range(each.O), remark)
    table.add_row("S", f"{each.S:,} B", "", each.rendezvous or "no larger message was tried")
    console.print(table)
    console.print()
    pieces = plain_table("Half round trips by size", "bytes", "protocol", "at 1 B", "G", "95 %")
    for piece in each.ranges:
        pieces.add_row(
            f"{piece.first:,} … {piece.last:,}",
            piece.protocol,
            format_time(piece.start.value),
            format_per_byte(piece.G.value),
            _range(piece.G),
        )
    console.print(pieces)
    console.print(
        f"With one L, o, G and O the model meets these half round trips within "
        f"{format_share(each.error)} (root mean square)."
    )


def _by_round_trips(each: LinkClass) -> str:
    found = each.o_delayed
    return "" if found is None else f"by round trips {format_time(found.value)}"


def _range(estimate: Estimate) -> str:
    return f"{estimate.low:.4g} … {estimate.high:.4g}"


def _interval(estimate: Estimate) -> str:
    return _span(estimate.low, estimate.high)


def _span(low: float, high: float) -> str:
    return f"{format_time(low)} … {format_time(high)}"
