"""`latitude doctor`: what is here, what is missing, what that costs."""

import argparse

from latitude.cli.outputs import Outputs, add_results
from latitude.launch.doctor import examine
from latitude.render.documents.doctor import doctor_document


class DoctorCommand:
    """An answer to: why does it not work here?"""

    description = """\
Looks for MPI compilers (and builds the tracer with each), launchers, Slurm, RDMA devices, clocks
and optional packages. For each missing part it says what does not work and what to install. The
exit status is 0 whatever is found; --json is for scripts."""
    example = "latitude doctor"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add_results(parser)

    def run(self, arguments: argparse.Namespace) -> None:
        Outputs.of(arguments).give(doctor_document(examine()))
