"""Efficiencies as a section of an analysis."""

from latitude.analysis.context import GraphContext, PassesContext
from latitude.analysis.efficiency import efficiency_of, predicted_efficiency
from latitude.analysis.section import Computed, SectionCost
from latitude.sections.efficiency.result import Efficiency


def _of_graph(context: GraphContext) -> Efficiency:
    model = context.model
    dag = context.theta.along(model) if context.dag is None else context.dag
    return efficiency_of(
        model,
        context.ideal_ns,
        dag,
        context.theta,
        context.T_ns,
        context.curve,
        context.program.run,
    )


def _of_passes(context: PassesContext) -> Efficiency:
    found, scale = context.path, context.network.compute_scale
    return predicted_efficiency(
        found.rank_useful_ns, found.ideal_ns, scale, context.T_ns, context.curve
    )


COMPUTED = Computed(_of_graph, SectionCost(sweeps=2, operation_bytes=8), _of_passes, held="curve")
