"""T over a box of parameters around the network, in few sweeps."""

from latitude.analysis.answer import path_parts
from latitude.analysis.context import JOB_COSTS, GraphContext, LeftOutError
from latitude.analysis.map.around import MOST_STEPS, OPERATION_BYTES, SWEEPS, SliderBox
from latitude.analysis.section import Computed, SectionCost
from latitude.sections.sliders.result import Sliders


def _of_graph(context: GraphContext) -> Sliders | None:
    """None if the program takes no time."""
    if context.program.job is not None:
        raise LeftOutError(JOB_COSTS)
    network, links = context.network, context.links
    high = float(context.curve.value[-1])
    box = SliderBox([(network, links)], context.theta.name, high, context.progress)
    path = path_parts(context.model.critical_path(), context.path, links)
    box.add(0, "", context.program.graph, network, links, path)
    return box.found()


COMPUTED = Computed(
    _of_graph,
    SectionCost(sweeps=SWEEPS, operation_bytes=OPERATION_BYTES, most_steps=MOST_STEPS),
    of_job=True,
)
"""Planes from which the page's sliders compute T."""
