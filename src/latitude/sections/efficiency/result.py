"""Efficiencies: the part of the processes' time that is computation, and the causes of losses.

The definitions are those of the POP project ([POP], [Rosas14]). T is the runtime of processes that
compute c_1 … c_p, and T_ideal the runtime with free messages.

    parallel = mean c / T = load balance · communication
    load balance = mean c / max c
    communication = max c / T = serialisation · transfer
    serialisation = max c / T_ideal
    transfer = T_ideal / T
"""

from typing import Annotated

from msgspec import Meta

from latitude.results.declared import (
    Amount,
    AmountColumn,
    Columns,
    Nanoseconds,
    Part,
    Unbounded,
)

FRACTIONS = ("parallel", "load_balance", "communication", "serialisation", "transfer")
"""The efficiencies; each factor comes after its product."""

NAMES = {
    "parallel": "parallel efficiency",
    "load_balance": "load balance",
    "communication": "communication efficiency",
    "serialisation": "serialisation efficiency",
    "transfer": "transfer efficiency",
}
"""Names for people."""

OF_THETA = ("parallel", "communication", "transfer")
"""Efficiencies that depend on the network; load balance and serialisation do not."""

FractionName = Annotated[str, Meta(extra_json_schema={"enum": list(FRACTIONS)})]


class Fractions(Part, frozen=True, kw_only=True):
    """Efficiencies of one run; 1 is perfect."""

    parallel: Amount
    """Mean computation of a process as a share of the runtime."""
    load_balance: Amount
    """Mean computation as a share of the greatest."""
    communication: Amount
    """Greatest computation of a process as a share of the runtime."""
    serialisation: Amount
    """Greatest computation as a share of the runtime with free messages; below 1 if processes wait
    for each other's computation."""
    transfer: Amount
    """Rest of communication efficiency: below 1 because of messages' costs. Above 1 if the ideal
    network is slower than the recorded run, because its collectives make ranks wait that did not
    wait in the run.
    """
    T_ns: Nanoseconds
    T_ideal_ns: Nanoseconds
    """The runtime if messages cost nothing: L = o = g = G = O = 0."""
    useful_mean_ns: Nanoseconds
    """Mean computation of a process outside MPI."""
    useful_max_ns: Nanoseconds

    @classmethod
    def of(
        cls,
        mean_ns: float,
        most_ns: float,
        runtime_ns: float,
        ideal_ns: float,
        most_in_ideal_ns: float | None = None,
    ) -> "Fractions":
        """Efficiencies from computation and runtimes; 0/0 counts as 1.

        `most_in_ideal_ns` is the greatest computation in the ideal run, if that differs because a
        format counts less computation than is outside MPI. Transfer is then communication /
        serialisation.
        """
        most_in_ideal = most_ns if most_in_ideal_ns is None else most_in_ideal_ns
        serialisation = share_of(most_in_ideal, ideal_ns)
        communication = share_of(most_ns, runtime_ns)
        same = most_in_ideal == most_ns
        return cls(
            parallel=share_of(mean_ns, runtime_ns),
            load_balance=share_of(mean_ns, most_ns),
            communication=communication,
            serialisation=serialisation,
            transfer=share_of(ideal_ns, runtime_ns) if same else communication / serialisation,
            T_ns=runtime_ns,
            T_ideal_ns=ideal_ns,
            useful_mean_ns=mean_ns,
            useful_max_ns=most_ns,
        )


def share_of(part: float, whole: float) -> float:
    """The share of a part in a whole; 1 if the whole is 0."""
    return part / whole if whole > 0 else 1.0


class EfficiencyCurve(Columns, frozen=True, kw_only=True):
    """Efficiencies at the curve's values of θ; between breakpoints they are c / (a + λ·θ).

    Load balance and serialisation do not depend on θ.
    """

    value: AmountColumn
    """Value of θ."""
    parallel: AmountColumn
    communication: AmountColumn
    transfer: AmountColumn


class Threshold(Part, frozen=True, kw_only=True):
    """The θ up to which an efficiency is at least a given value."""

    efficiency: FractionName
    least: Amount
    """The efficiency, e.g. 0.95."""
    reached: bool
    """Whether the efficiency has at least this value at the baseline."""
    value: Unbounded
    """The highest θ with at least this efficiency. If null: every θ, if reached, otherwise none."""
    delta: Unbounded
    """The value of θ minus the baseline's; negative if the efficiency is already lower at the
    baseline."""


class Efficiency(Part, frozen=True, kw_only=True):
    """Efficiencies of a program, predicted and recorded."""

    processors: Annotated[int, Meta(ge=1)]
    """Number of ranks, plus further threads of ranks that compute."""
    predicted: Fractions
    """Efficiencies predicted on the network of the analysis."""
    curve: EfficiencyCurve
    """Predicted efficiencies over θ."""
    traced: Fractions | None
    """Efficiencies from the recorded times; null for GOAL files, for streamed traces, and for
    replayed graphs, whose computation is not the run's."""
    thresholds: list[Threshold]
    """Thresholds of the predicted efficiencies; empty for a streamed trace."""

    def at(self, runtime_ns: float) -> Fractions:
        """The predicted efficiencies if T is `runtime_ns`."""
        of = self.predicted
        return Fractions.of(of.useful_mean_ns, of.useful_max_ns, runtime_ns, of.T_ideal_ns)
