"""T over a box of parameters around the network, in few sweeps."""

from latitude.analysis.context import GraphContext, LeftOutError
from latitude.analysis.map.around import SWEEPS, SliderBox
from latitude.analysis.section import Computed, SectionCost
from latitude.sections.sliders.result import Sliders


def _of_graph(context: GraphContext) -> Sliders | None:
    """None if the program takes no time."""
    if context.program.job is not None:
        raise LeftOutError("a job's costs are those of the network it was recorded on")
    network, links = context.network, context.links
    high = float(context.curve.value[-1])
    box = SliderBox([(network, links)], context.theta.name, high, context.progress)
    box.add(0, "", context.program.graph, network, links)
    return box.found()


COMPUTED = Computed(_of_graph, SectionCost(sweeps=SWEEPS, most_steps=5e8), of_job=True)
"""Planes that the page's sliders compute T from."""
