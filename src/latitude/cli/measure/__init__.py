"""`latitude measure`: properties of this cluster's network."""

from latitude.cli.command import Action, Group
from latitude.cli.measure.load import Load
from latitude.cli.measure.loggps import Loggps
from latitude.cli.measure.nodes import Nodes
from latitude.cli.measure.timed import Barrier, Collective, Pingpong

ACTIONS: tuple[Action, ...] = (Loggps(), Pingpong(), Barrier(), Collective(), Load(), Nodes())


class MeasureCommand(Group):
    """Measures with small MPI programs that the user's launcher starts."""

    description = """\
Builds a small MPI program against your MPI and runs it with your launcher. The launch line follows
`--`, and Latitude appends the program (latitude measure loggps -- mpirun -n 2)."""
    example = "latitude measure loggps -- mpirun -n 2 --map-by node"
    actions = ACTIONS
