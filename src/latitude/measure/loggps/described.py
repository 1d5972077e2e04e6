"""The measurement as a cluster file and as a result."""

import json
import math
import shlex
from collections.abc import Iterator, Mapping

from latitude._version import __version__
from latitude.files.provenance import made_now
from latitude.measure.loggps.measured import INSIDE, MeasuredLinks, kind_of
from latitude.measure.loggps.pair import Pair
from latitude.measure.loggps.replicates import Replicates
from latitude.measure.loggps.result import Measured
from latitude.model.cluster_file import Description
from latitude.model.places import key_of
from latitude.model.rules import BETWEEN, PRICES, Rule
from latitude.results.measurement import (
    AchievedLoad,
    LatencyRange,
    LogGPSClass,
    LogGPSMeasurement,
    MeasuredPair,
    MeasuredValue,
)
from latitude.trace.transports import Transports
from latitude.units.quantities import counted, format_per_byte, format_size, format_time

_DIGITS = 5
_AS_GIVEN = "as given: no two ranks meet there"


def cluster_text(measured: Measured) -> str:
    """The file for `analyze --network`: values, and comments with their intervals and origin."""
    return "\n".join(_cluster_lines(measured)) + "\n"


def _cluster_lines(measured: Measured) -> Iterator[str]:
    ran, links = measured.ran, measured.classes
    first, *_ = ran.results
    hosts = sorted({place.host for place in first.places()})
    date = measured.started.isoformat(timespec="seconds")
    yield f"# latitude {__version__} measure loggps, {date}"
    yield f"# {_line(shlex.join(ran.request.launch))}"
    yield f"# {_line(first.text('mpi'))}; {_line(', '.join(hosts[:4]))}{_more(hosts)}"
    pairs = ", ".join(f"{counted(each.pairs, 'pair')} of ranks {each.name}" for each in links)
    yield f"# {_line(pairs)}, {counted(len(ran.results), 'start')} of the program; 95 % intervals"
    yield f"# Times of {_of_size(measured)}, which lie {_cache(measured)}"
    yield "[network]"
    described = measured.wishes.described or Description()
    main = measured.main
    if main is None:
        yield from _kept(described)
    else:
        yield from _main_lines(main, measured.O_of(main))
        if described.gap is not None:
            yield _entry("gap", described.gap, "as given")
    yield from _rule_lines(measured, described)
    yield from _place_lines(described)
    if ran.transports is not None:
        yield from _transports(ran.transports)
    if main is not None:
        yield from _draws(main.draws(measured.O_of(main)))


def _kept(described: Description) -> Iterator[str]:
    """Parameters for links to which no rule applies, as lines of the file."""
    names = {"rendezvous": described.rendezvous, "gap": described.gap}
    for name, value in (*described.values.items(), *names.items()):
        if value is not None:
            yield _entry(name, value, _AS_GIVEN)


def _main_lines(main: MeasuredLinks, O: Replicates | None) -> Iterator[str]:
    if main.name == INSIDE:
        yield _entry("reach", INSIDE, "all ranks ran on one node")
    spread = "" if main.pairs == 1 else f"; pairs {_span(main.least_L, main.most_L)}"
    yield _entry("L", _time(main.L.value), f"{_interval(main.L)}{spread}")
    both = f"send {format_time(main.o_send.value)}, receive {format_time(main.o_receive.value)}"
    yield _entry("o", _time(main.o.value), f"{_interval(main.o)}; {both}")
    wire = main.G(O).value
    whose = "" if O is not None else ", wire and processors together"
    yield _entry("G", f"{_number(wire)}ns/B", f"{format_per_byte(wire)}{whose}")
    if O is not None:
        rate = float(O[0])
        parts = f"of the processors at each end, G is less by it: {format_per_byte(rate)}"
        yield _entry("O", f"{_number(rate)}ns/B", parts)
    yield from _limits(main)
    if main.rendezvous is not None:
        told = "the reading closest to what was measured"
        why = told if main.reading_told else "not told from others: the model's own"
        yield _entry("rendezvous", main.rendezvous, why)
    if main.gap_counts:
        yield _entry("g", _time(main.g.value), _interval(main.g))
    else:
        yield f"# g: {format_time(main.g.value)} from message to message: hidden by the overheads"


def _limits(main: MeasuredLinks) -> Iterator[str]:
    yield _entry("S", f"{main.S}B", _eager(main))
    if main.S_isend != main.S:
        yield _entry("S_isend", f"{main.S_isend}B", "of MPI_Isend and its kind")
    if main.S_start != main.S_isend:
        limit = f"{main.S_start} B of persistent sends"
        yield f"# S_start: {limit}, which the model takes as MPI_Isend's"


def _draws(draws: Mapping[str, list[float]]) -> Iterator[str]:
    yield ""
    yield "# What the parameters may be instead, by the samples they were measured with; those of"
    yield "# one place belong together. Predictions take their intervals from this."
    yield "[network.draws]"
    for name, values in draws.items():
        unit = "ns/B" if name in ("G", "O") else "ns"
        texts = ", ".join(f'"{_number(value)}{unit}"' for value in values)
        yield f"{name} = [{texts}]"


def _rule_lines(measured: Measured, described: Description) -> Iterator[str]:
    """The rules of the file; without rules, one for links inside nodes if both were measured."""
    found = {each.name: each for each in measured.classes}
    rules = described.rules
    if measured.wishes.described is None and len(found) == len((BETWEEN, INSIDE)):
        rules = (Rule("same node", L=0.0),)
    for rule in rules:
        each = found.get(rule.name)
        yield ""
        if each is not None:
            yield f"# {counted(each.pairs, 'pair')} of ranks {each.name}"
        yield "[[link]]"
        yield f"where = {json.dumps(rule.where, ensure_ascii=False)}"
        if rule.phrase == f"of {rule.name}":
            yield f"name = {json.dumps(rule.name, ensure_ascii=False)}"
        if each is None:
            yield from _rule_kept(rule)
        else:
            yield from _rule_measured(rule, each, measured)


def _rule_kept(rule: Rule) -> Iterator[str]:
    for price, declared in PRICES.items():
        value = getattr(rule, price)
        if value is not None:
            yield _entry(price, declared.text(value), _AS_GIVEN)


def _rule_measured(rule: Rule, each: MeasuredLinks, measured: Measured) -> Iterator[str]:
    main, O = measured.main, measured.O_of(each)
    yield _entry("L", _time(each.L.value), _interval(each.L))
    yield _entry("o", _time(each.o.value), _interval(each.o))
    wire = each.G(O).value
    yield _entry("G", f"{_number(wire)}ns/B", format_per_byte(wire))
    if O is not None:
        yield _entry("O", f"{_number(float(O[0]))}ns/B", "CPU time, not in G")
    elif main is None or measured.O_of(main) is not None:
        yield _entry("O", "0ns/B", "CPU time is in G")
    if each.gap_counts:
        yield _entry("g", _time(each.g.value), _interval(each.g))
    elif main is None or main.gap_counts:
        yield _entry("g", "0ns", "hidden by the overheads")
    if rule.S is not None:
        yield _entry("S", f"{each.S}B", _eager(each))


def _place_lines(described: Description) -> Iterator[str]:
    """Places and placement, as given by the user."""
    places = described.places
    if places.count:
        yield ""
        yield "[places]"
    for level, many in places.count.items():
        yield f"{key_of(level)} = {many}"
    for level, names in places.named.items():
        yield ""
        yield f"[places.{level}]"
        for name, nodes in names.items():
            yield f"{json.dumps(name, ensure_ascii=False)} = {json.dumps(nodes)}"
    placement = {
        "rule": described.placement,
        "nodes": described.nodes,
        "ranks_per_node": described.ranks_per_node,
    }
    given = {key: value for key, value in placement.items() if value is not None}
    if given:
        yield ""
        yield "[placement]"
    for key, value in given.items():
        yield f"{key} = {json.dumps(value, ensure_ascii=False)}"


def _transports(found: Transports) -> Iterator[str]:
    yield ""
    yield "# By what messages went. A run that uses other transports has another network."
    yield "[network.measured]"
    for name in ("used", "modules", "hosts"):
        yield f"{name} = {json.dumps(getattr(found, name), ensure_ascii=False)}"
    if found.library:
        yield f"library = {json.dumps(found.library)}"
    yield f"ranks = {found.ranks}"
    settings = (f"{name} = {json.dumps(value)}" for name, value in found.settings.items())
    yield f"settings = {{ {', '.join(settings)} }}"


def _entry(name: str, value: str, comment: str) -> str:
    text = f'{name} = "{value}"'
    return f"{text:<24} # {comment}"


def _line(text: str) -> str:
    """The text without line ends, because a comment is one line."""
    return " ".join(text.split())


def _more(hosts: list[str]) -> str:
    return "" if len(hosts) <= 4 else f" and {len(hosts) - 4} more"  # noqa: PLR2004 - as shown


def _of_size(measured: Measured) -> str:
    return f"messages of {format_size(measured.wishes.size)}"


def _cache(measured: Measured) -> str:
    return "in memory" if measured.wishes.cold else "in the caches"


def _eager(each: MeasuredLinks) -> str:
    return "larger sends wait" if each.waits else "no larger message was tried, and none waited"


def _interval(estimate: MeasuredValue) -> str:
    return _span(estimate.low, estimate.high)


def _span(low: float, high: float) -> str:
    return f"{format_time(low)} … {format_time(high)}"


def _time(ns: float) -> str:
    return f"{_number(ns)}ns"


def _number(value: float) -> str:
    """A number rounded to _DIGITS digits, without exponent."""
    if value == 0:
        return "0"
    decimals = max(_DIGITS - 1 - math.floor(math.log10(abs(value))), 0)
    return f"{value:.{decimals}f}"


def measurement_of(measured: Measured, load: AchievedLoad | None) -> LogGPSMeasurement:
    """The measurement as a result. `load` is the load in the background."""
    ran, wishes = measured.ran, measured.wishes
    first, *_ = ran.results
    O = measured.O_of(measured.classes[0])
    return LogGPSMeasurement(
        provenance=made_now(),
        mpi=first.text("mpi"),
        mpicc=str(ran.choice.mpi.mpicc),
        launch=tuple(ran.request.launch),
        started=measured.started.isoformat(timespec="seconds"),
        starts=len(ran.results),
        seconds=round(ran.seconds, 3),
        clock_cost_ns=float(first.text("clock_cost_ns")),
        size_bytes=wishes.size,
        most_bytes=wishes.most,
        cache="cold" if wishes.cold else "warm",
        quantile=wishes.quantile,
        precision=wishes.precision,
        ranks=tuple(first.places()),
        O_ns_per_byte=0.0 if O is None else float(O[0]),
        classes=tuple(_class(each, measured.O_of(each)) for each in measured.classes),
        pairs=tuple(_pair(each, kind_of(each, measured.rules)) for each in measured.pairs),
        warnings=tuple(measured.warnings),
        load=load,
    )


def _class(each: MeasuredLinks, O: Replicates | None) -> LogGPSClass:
    return LogGPSClass(
        name=each.name,
        pairs=each.pairs,
        L_ns=each.L,
        L_rest_ns=each.rest,
        o_ns=each.o,
        o_send_ns=each.o_send,
        o_receive_ns=each.o_receive,
        o_delayed_ns=each.o_delayed,
        g_ns=each.g,
        g_limits=each.gap_counts,
        G_ns_per_byte=each.G(O),
        O_ns_per_byte=each.O,
        slope_ns_per_byte=each.slope,
        S_bytes=each.S,
        S_isend_bytes=each.S_isend,
        S_start_bytes=each.S_start,
        S_reached=each.waits,
        rendezvous=each.rendezvous,
        L_of_pairs_ns=LatencyRange(least=each.least_L, most=each.most_L),
        model_error=each.error,
        ranges=each.ranges,
        sizes=each.sizes,
    )


def _pair(pair: Pair, links: str) -> MeasuredPair:
    return MeasuredPair(
        ranks=(pair.leader, pair.other),
        inside_a_node=pair.inside,
        links=links,
        S_bytes=pair.eager,
        half_round_trip_ns=float(pair.half[min(pair.half)][0]),
        half_round_trip_by_start_ns=pair.smallest,
        seconds=pair.seconds,
        rounds=pair.rounds,
        imprecise=pair.imprecise,
    )
