"""`latitude doctor`: what is here, what is missing, what that costs."""

import argparse
import sys
from collections.abc import Sequence
from itertools import groupby

from latitude.cli.outputs import Outputs, add_results
from latitude.files.provenance import stamped
from latitude.files.text import json_text
from latitude.launch.doctor import examine
from latitude.launch.doctor.finding import MISSING, NOTE, OK, Finding

SCHEMA = "latitude.doctor/1"
_MARKS = {OK: " ok ", NOTE: "note", MISSING: " -- "}


class Doctor:
    """An answer to: why does it not work here?"""

    description = """\
Looks for MPI compilers (and builds the tracer with each), launchers, Slurm, RDMA devices, clocks
and optional packages. For each missing part it says what does not work and what to install. The
exit status is 0 whatever is found; --json is for scripts."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares its options."""
        add_results(parser)

    def run(self, arguments: argparse.Namespace) -> None:
        """Does its work."""
        outputs = Outputs.of(arguments)
        findings = examine()
        if arguments.json is None:
            sys.stdout.write(shown(findings))
            return
        content = {"findings": [finding.to_json() for finding in findings]}
        outputs.write(json=lambda: json_text(stamped(SCHEMA, content)))


def shown(findings: Sequence[Finding]) -> str:
    """The findings as lines, one area after the other."""
    lines = []
    for area, group in groupby(findings, key=lambda finding: finding.area):
        lines.append(area)
        for finding in group:
            lines.append(f"  {_MARKS[finding.state]}  {finding.name}: {finding.found}")
            if finding.costs:
                lines.append(f"        costs: {finding.costs}")
            if finding.remedy:
                lines.append(f"        to do: {finding.remedy}")
    missing = sum(finding.state == MISSING for finding in findings)
    lines += ["", f"{missing} of {len(findings)} parts missing." if missing else "All found."]
    return "\n".join(lines) + "\n"
