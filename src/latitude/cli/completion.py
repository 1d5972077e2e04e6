"""`latitude completion`: what makes a shell complete our words."""

import argparse
import sys

from latitude.cli.commands import SUMMARIES
from latitude.cli.parser import build_parser

SHELLS = ("bash", "zsh", "tcsh")


class CompletionCommand:
    """The same options that the help shows, as a shell's script."""

    description = """\
Prints what makes a shell complete commands, options and their choices. For bash, in ~/.bashrc:
eval "$(latitude completion bash)"; for zsh, into a file _latitude on its $fpath."""
    example = 'eval "$(latitude completion bash)"'

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))

    def run(self, arguments: argparse.Namespace) -> None:
        import shtab  # noqa: PLC0415 - an extra

        sys.stdout.write(shtab.complete(build_parser(*SUMMARIES), arguments.shell) + "\n")
