"""Execution graphs as if their trace had recorded call sites."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import latitude
from latitude import Analysis, _core
from latitude.analysis.call_sites import located
from latitude.sections.by_call_site.compute import call_sites_of

from . import Built

PLACES = {"MPI_Isend": 2, "MPI_Irecv": 1, "MPI_Waitall": 1, "MPI_Reduce": 1}
"""Which call comes from which place; the others come from the first."""


class Sited:
    """A graph whose calls come from the places of a built program, each kind of call from one."""

    def __init__(self, graph: _core.Graph, program: Built) -> None:
        self._graph = graph
        sites = len(program.offsets)
        kinds = [PLACES.get(name, 0) for name in graph.call_name]
        self.call_site = np.array(kinds, dtype=np.uint32)[graph.call_code] % sites
        self.site_module = np.zeros(sites, dtype=np.uint32)
        self.site_offset = np.array(list(program.offsets.values()), dtype=np.uint64)
        self.site_caller = np.full(sites, _core.NO_SITE, dtype=np.uint32)
        self.module_path = [str(program.path)]
        self.module_build_id = [program.module.build_id]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._graph, name)


def analysed(trace: Path, program: Built, least_slack_ns: list[float]) -> Analysis:
    """The analysis of `trace` with the places of `program`, of which the slack is given."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "latitude.analysis.context.located",
            lambda traced: located(replace(traced, graph=Sited(traced.graph, program))),
        )
        patch.setattr(
            "latitude.sections.by_call_site.compute.call_sites_of",
            lambda graph, path, places, rows, _, runtime: call_sites_of(
                Sited(graph, program),  # type: ignore[arg-type]
                path,
                places,
                rows,
                np.array(least_slack_ns),
                runtime,
            ),
        )
        return latitude.analyze(latitude.load(trace))
