"""Efficiencies: which part of the processors' time is computation, and what the rest is lost to.

The definitions are those of the POP project ([POP], [Rosas14]). T is the runtime on processors that
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
"""The efficiencies, each factor below what it is a factor of."""

NAMES = {
    "parallel": "parallel efficiency",
    "load_balance": "load balance",
    "communication": "communication efficiency",
    "serialisation": "serialisation efficiency",
    "transfer": "transfer efficiency",
}
"""Names for people."""

OF_THETA = ("parallel", "communication", "transfer")
"""Those that change with the network; load balance and serialisation do not."""

FractionName = Annotated[str, Meta(extra_json_schema={"enum": list(FRACTIONS)})]


class Fractions(Part, frozen=True, kw_only=True):
    """Efficiencies of one run; 1 is perfect."""

    parallel: Amount
    """Mean computation of a processor as a share of the runtime."""
    load_balance: Amount
    """Mean computation as a share of the most."""
    communication: Amount
    """The most computation as a share of the runtime."""
    serialisation: Amount
    """The most computation as a share of the runtime where messages cost nothing: below 1 where
    processors wait for each other's computation."""
    transfer: Amount
    """What is left of communication: below 1 for what messages cost. Above 1 where the ideal
    network is slower than the recorded run: its collectives made ranks wait that did not."""
    T_ns: Nanoseconds
    T_ideal_ns: Nanoseconds
    """The runtime where messages cost nothing: L = o = g = G = O = 0."""
    useful_mean_ns: Nanoseconds
    """Mean computation of a processor outside MPI."""
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

        `most_in_ideal_ns` is the most computation in the ideal run, if that differs because a
        format counts less computation than lies outside MPI. Transfer is then communication /
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
    """Which share of a whole a part is: 1 where the whole is nothing."""
    return part / whole if whole > 0 else 1.0


class EfficiencyCurve(Columns, frozen=True, kw_only=True):
    """Efficiencies at the curve's values of θ; between critical values they are c / (a + λ·θ).

    Load balance and serialisation do not depend on θ.
    """

    value: AmountColumn
    """Value of θ."""
    parallel: AmountColumn
    communication: AmountColumn
    transfer: AmountColumn


class Threshold(Part, frozen=True, kw_only=True):
    """Up to which θ an efficiency is at least so much."""

    efficiency: FractionName
    least: Amount
    """E.g. 0.95."""
    reached: bool
    """Whether the efficiency is at least so much at the baseline."""
    value: Unbounded
    """The highest θ at which it is; null: at any, if reached, and at none, if not."""
    delta: Unbounded
    """That value above the baseline's; negative where the efficiency has fallen below already."""


class Efficiency(Part, frozen=True, kw_only=True):
    """Where processors' time goes, and went."""

    processors: Annotated[int, Meta(ge=1)]
    """Ranks, and further threads of ranks that compute."""
    predicted: Fractions
    """On that network."""
    curve: EfficiencyCurve
    """The predicted ones."""
    traced: Fractions | None
    """From the recorded times; null of GOAL files, of replayed graphs, whose computation is not the
    run's, and of a trace that was evaluated while it was read."""
    thresholds: list[Threshold]
    """Thresholds of the predicted efficiencies; empty for a streamed trace."""

    def at(self, runtime_ns: float) -> Fractions:
        """The predicted efficiencies where T is `runtime_ns`."""
        of = self.predicted
        return Fractions.of(of.useful_mean_ns, of.useful_max_ns, runtime_ns, of.T_ideal_ns)
