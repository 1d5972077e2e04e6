"""What an analysis of a graph in memory and one in passes over the files have in common."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from latitude._types import Floats
from latitude.files.provenance import Provenance
from latitude.model.links import Links
from latitude.model.network import Network
from latitude.model.theta import Theta
from latitude.notices.notice import Notice
from latitude.results.analysis import (
    Breakpoints,
    Critical,
    Curve,
    GraphInfo,
    Intervals,
    Sensitivity,
    Tolerance,
)
from latitude.results.assumptions import Assumptions
from latitude.trace.program import TraceInfo


class OverTheta(Protocol):
    """A program, a network, and T with its slope as functions of θ."""

    @property
    def provenance(self) -> Provenance:
        """Of what, when and where."""

    @property
    def trace(self) -> TraceInfo:
        """What was read."""

    @property
    def graph(self) -> GraphInfo:
        """How large it is."""

    @property
    def model(self) -> Assumptions:
        """What was assumed."""

    @property
    def network(self) -> Network:
        """Its parameters."""

    @property
    def links(self) -> Links:
        """The network's links between this program's ranks."""

    @property
    def warnings(self) -> Sequence[Notice]:
        """What is to be known of the result."""

    @property
    def theta(self) -> Theta:
        """The parameter that was varied."""

    @property
    def sensitivity(self) -> Sensitivity:
        """θ at the baseline."""

    @property
    def T_ns(self) -> float:
        """Runtime at the baseline."""

    @property
    def interval(self) -> tuple[float, float]:
        """Values of θ that curve and breakpoints cover."""

    @property
    def tolerance(self) -> Sequence[Tolerance]:
        """By rising limit."""

    @property
    def curve(self) -> Curve:
        """Over the interval."""

    @property
    def breakpoints(self) -> Breakpoints:
        """The critical values that are known."""

    @property
    def critical(self) -> Critical:
        """How much of the interval they cover, and T beyond them."""

    @property
    def intervals(self) -> Intervals | None:
        """How far the predictions may be off; None where that was not looked at."""


def line_of(found: OverTheta) -> tuple[Floats, Floats]:
    """θ and T of the interval's ends, critical values and points beyond these, in order.

    T is on the lines between critical values, and beyond them beneath the lines by the share
    `critical.bound` of T at most.
    """
    curve, bends, beyond = found.curve, found.breakpoints, found.critical.beyond
    end = slice(-1, None if found.critical.complete else -1)  # which `beyond` has
    value = (curve.value[:1], bends.value, beyond.value, curve.value[end])
    runtime = (curve.T_ns[:1], bends.T_ns, beyond.T_ns, curve.T_ns[end])
    return np.concatenate(value), np.concatenate(runtime)
