"""`latitude doctor`: what is here, what is missing, what that costs."""

import argparse
import json
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from latitude._version import __version__
from latitude.cli.outputs import STDOUT
from latitude.doctor import examine
from latitude.doctor.finding import MISSING, NOTE, OK, Finding
from latitude.files import refuse_existing, write_new

SCHEMA = "latitude.doctor/1"
_MARKS = {OK: " ok ", NOTE: "note", MISSING: " -- "}


class Doctor:
    """An answer to: why does it not work here?"""

    name = "doctor"
    summary = "report MPIs, launchers, devices and what each missing part costs"
    description = """\
Looks for MPI compilers (and builds the tracer with each), launchers, Slurm, RDMA devices, clocks
and optional packages. For each missing part it says what does not work and what to install. The
exit status is 0 whatever is found; --json is for scripts."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares its options."""
        parser.add_argument(
            "--json", metavar="FILE", type=Path, help="write the findings to FILE, or - for stdout"
        )
        parser.add_argument("--force", action="store_true", help="overwrite results that exist")

    def run(self, arguments: argparse.Namespace) -> None:
        """Does its work."""
        to_file = arguments.json is not None and arguments.json != STDOUT
        if to_file:
            refuse_existing([arguments.json], force=arguments.force)
        findings = examine()
        if arguments.json is None:
            sys.stdout.write(shown(findings))
            return
        described = {
            "schema": SCHEMA,
            "version": __version__,
            "findings": [finding.to_json() for finding in findings],
        }
        text = json.dumps(described, indent=2, ensure_ascii=False) + "\n"
        if to_file:
            write_new(arguments.json, text, force=arguments.force)
        else:
            sys.stdout.write(text)


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
