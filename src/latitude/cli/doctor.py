"""`latitude doctor`: lists the parts that exist, and the cost of each missing part."""

from dataclasses import dataclass

from latitude.cli.outputs import Outputs, ResultOptions
from latitude.launch.doctor import examine
from latitude.render.documents.doctor import doctor_document


@dataclass(kw_only=True)
class DoctorOptions(ResultOptions):
    """Destination of the findings."""


class DoctorCommand:
    """Finds the reason why Latitude does not work on a machine."""

    description = """\
Finds MPI compilers (and builds the tracer with each), launchers, Slurm, RDMA devices, clocks and
optional packages. For each missing part it gives the cost and the remedy. The exit status is always
0; --json is for scripts."""
    example = "latitude doctor"
    options = DoctorOptions

    def run(self, arguments: DoctorOptions) -> None:
        Outputs.of(arguments).give(doctor_document(examine()))
