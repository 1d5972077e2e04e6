"""A comparison of recorded and predicted runtime, in words."""

from dataclasses import dataclass

from latitude.notices.kinds import WITHOUT_CORE
from latitude.render.document import Part, Section, Table
from latitude.results.analysis import Analysis
from latitude.trace.program import WallTimes
from latitude.units.quantities import format_share, format_time, signed

_AGREE = 1.1
"""Largest ratio of recorded and predicted runtime, or its inverse, at which the two agree."""
_DOUBTFUL = 1.5
"""Largest ratio of recorded and predicted runtime, or its inverse, without doubt about T."""
_CLOSE = 0.01
"""Least relative difference that needs an explanation."""
_FAR = 1.03
"""Least ratio of recorded and predicted runtime with which recorded costs are worth trying."""
_WITHOUT_CORE = 0.1
"""Least share of the run without a core at which a rank also kept other ranks waiting in MPI."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Difference between recorded and predicted runtime, and its reason."""

    text: str
    doubtful: bool
    """Whether recorded and predicted runtime differ by more than the factor _DOUBTFUL."""


def verdict(analysis: Analysis) -> Agreement | None:
    """Recorded and predicted runtime in one line, with a reason; None if either is missing or 0."""
    recorded_ns, predicted_ns = analysis.trace.wall_ns, analysis.T_ns
    if not recorded_ns or not predicted_ns:
        return None
    ratio = max(recorded_ns / predicted_ns, predicted_ns / recorded_ns)
    apart = f"{format_share(ratio - 1)} apart" if ratio < 2 else f"{ratio:,.3g} times apart"  # noqa: PLR2004
    reason = _reason(analysis, recorded_ns) if ratio - 1 > _CLOSE else ""
    text = (
        f"Recorded {format_time(recorded_ns)}, predicted {format_time(predicted_ns)}: {apart}"
        f"{f', because {reason}' if reason else ''}."
    )
    if ratio > _DOUBTFUL:
        return Agreement(f"{text} T is not the time of the recorded run.", doubtful=True)
    return Agreement(f"{text} They agree." if ratio <= _AGREE else text, doubtful=False)


def noisy_machine(analysis: Analysis) -> list[str]:
    """First sentences about a run whose ranks had to share their cores with other programs."""
    return [
        f"{each.message[0].upper()}{each.message[1:]}. To be sure, {each.hint}."
        for each in analysis.warnings
        if each.code == WITHOUT_CORE.code
    ]


def _reason(analysis: Analysis, recorded_ns: float) -> str:
    """The largest part of the difference; empty if not known."""
    model, wall = analysis.model, _wall_times(analysis, recorded_ns)
    if model.compute_scale != 1:
        return f"computation takes {model.compute_scale:g} times what was recorded"
    T_ns = analysis.T_ns
    if recorded_ns < T_ns:
        return _dearer(analysis)
    if wall is None or analysis.efficiency is None:
        return ""
    predicted = analysis.efficiency.predicted
    in_calls_ns = predicted.T_ns - predicted.useful_mean_ns
    without_core_ns = wall.without_core_ns or 0.0
    idle = without_core_ns / recorded_ns
    calls = (
        f"a rank spent {format_time(wall.calls_ns, 3)} in MPI, of which this network explains "
        f"{format_time(in_calls_ns, 3)}"
    )
    if idle > _WITHOUT_CORE:
        calls += f"; for {format_share(idle)} of the time it had no core"
    elif _calls_cost_more(analysis) and recorded_ns > _FAR * T_ns:
        calls += "; --costs recorded gives each call the time that it took"
    reasons = {
        calls: wall.calls_ns - in_calls_ns,
        f"a rank had no core for {format_share(idle)} of the time": without_core_ns,
        f"the tracer took {format_time(wall.tracer_ns, 3)}": wall.tracer_ns,
    }
    return max(reasons, key=lambda each: reasons[each])


def _calls_cost_more(analysis: Analysis) -> bool:
    """Whether the trace may tell the costs of calls, and the model does not have these costs."""
    told = analysis.trace.wall is not None and analysis.streamed is None
    return told and analysis.model.costs is None


def _dearer(analysis: Analysis) -> str:
    """The part of the network that makes T longer than the run, in words."""
    path, T_ns = analysis.baseline.path, analysis.T_ns
    if path is None:
        return ""
    parts = {
        "overhead": path.overhead_ns,
        "latency": path.latency_ns,
        "bandwidth": path.bandwidth_ns,
    }
    most = max(parts, key=lambda part: parts[part])
    of = "default " if most in analysis.model.assumed else ""
    return f"{of}{most} is {format_share(parts[most] / T_ns)} of T"


def _wall_times(analysis: Analysis, recorded_ns: float) -> WallTimes | None:
    """Parts of the recorded time; if a format tells only computation, the rest counts as MPI."""
    if analysis.trace.wall is not None:
        return analysis.trace.wall
    if analysis.efficiency is None or analysis.efficiency.traced is None:
        return None
    computing_ns = analysis.efficiency.traced.useful_mean_ns
    return WallTimes(
        computing_ns=computing_ns,
        without_core_ns=None,
        tracer_ns=0.0,
        calls_ns=max(0.0, recorded_ns - computing_ns),
    )


def recorded_parts(analysis: Analysis) -> list[Part]:
    """A table of recorded and predicted runtime, by the parts of a rank's time."""
    wall_ns, wall = analysis.trace.wall_ns, analysis.trace.wall
    if wall_ns is None or wall is None or analysis.efficiency is None:
        return []
    predicted = analysis.efficiency.predicted
    rows = [
        _row("computing", wall.computing_ns, predicted.useful_mean_ns),
        _row("without a core", wall.without_core_ns, 0.0),
        _row("tracing", wall.tracer_ns, 0.0),
        _row("in MPI", wall.calls_ns, predicted.T_ns - predicted.useful_mean_ns),
        _row("the run", wall_ns, predicted.T_ns),
    ]
    total = wall.computing_ns + (wall.without_core_ns or 0.0) + wall.tracer_ns + wall.calls_ns
    return [
        Section(
            "Recorded and predicted",
            [Table(("", "recorded", "predicted", "more"), rows, brief=len(rows))],
            note="The recorded run lasts from the last rank's return from MPI_Init to the first "
            "one's entry into MPI_Finalize; T is what the same computation takes on this network. "
            "The rows are means of the ranks, each from its own MPI_Init to its own MPI_Finalize: "
            f"together {format_time(total)}. Without a core: between calls, while the rank was "
            "ready to run or, where CPU time measures computation, asleep. In MPI: transfers, "
            "waiting, and, of the recorded run, MPI's own work, and waiting for ranks that had no "
            "core.",
        )
    ]


def _row(what: str, recorded_ns: float | None, predicted_ns: float) -> tuple[str, str, str, str]:
    if recorded_ns is None:
        return what, "not known", format_time(predicted_ns), ""
    return (
        what,
        format_time(recorded_ns),
        format_time(predicted_ns),
        signed(recorded_ns - predicted_ns),
    )
