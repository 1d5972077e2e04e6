"""`latitude completion`: scripts for completion in shells."""

import sys
from dataclasses import dataclass

from latitude.cli.commands import SUMMARIES, build_parser
from latitude.units.options import Options, argument

SHELLS = ("bash", "zsh", "tcsh")


@dataclass(kw_only=True)
class CompletionOptions(Options):
    """The shell."""

    shell: str = argument(", ".join(SHELLS), "SHELL", choices=SHELLS)


class CompletionCommand:
    """Writes the options of the help as a shell's script."""

    description = """\
Prints what makes a shell complete commands, options and their choices. For bash, in ~/.bashrc:
eval "$(latitude completion bash)"; for zsh, into a file _latitude on its $fpath."""
    example = 'eval "$(latitude completion bash)"'
    options = CompletionOptions

    def run(self, arguments: CompletionOptions) -> None:
        import shtab  # noqa: PLC0415 - an extra

        sys.stdout.write(shtab.complete(build_parser(*SUMMARIES), arguments.shell) + "\n")
