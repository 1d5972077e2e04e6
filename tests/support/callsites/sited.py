"""Execution graphs as if their trace had recorded call sites."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import latitude
from latitude import Analysis, _core
from latitude.analysis.call_sites import by_call_site

from . import Built


class Sited:
    """A graph whose calls come from the places of a built program, in turn by kind of call."""

    def __init__(self, graph: _core.Graph, program: Built) -> None:
        self._graph = graph
        sites = len(program.offsets)
        self.call_site = (graph.call_code % sites).astype(np.uint32)
        self.site_module = np.zeros(sites, dtype=np.uint32)
        self.site_offset = np.array(list(program.offsets.values()), dtype=np.uint64)
        self.module_path = [str(program.path)]
        self.module_build_id = [program.module.build_id]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._graph, name)


def analysed(trace: Path, program: Built, least_slack_ns: list[float]) -> Analysis:
    """The analysis of `trace` with the places of `program`, of which the slack is given."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "latitude.analysis.analyze.by_call_site",
            lambda graph, path, _, runtime: by_call_site(
                Sited(graph, program),  # type: ignore[arg-type]
                path,
                np.array(least_slack_ns),
                runtime,
            ),
        )
        return latitude.analyze(latitude.load(trace))
