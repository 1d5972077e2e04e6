"""`latitude synthesize`: synthetic programs and jobs."""

from latitude.cli.command import Action, Group
from latitude.cli.synthesize.llm import Llm
from latitude.cli.synthesize.nccl import Nccl
from latitude.cli.synthesize.patterns import PATTERNS

ACTIONS: tuple[Action, ...] = (*PATTERNS, Nccl(), Llm())


class SynthesizeCommand(Group):
    """Writes traces and graphs of known structure, which no run produced."""

    description = """\
Writes a synthetic program with a known structure, for testing a planned machine, for seeing how
answers follow from a pattern, or for measuring how fast files are read. The first three patterns
become traces of any length, the others execution graphs in GOAL."""
    example = "latitude synthesize halo --ranks 64 --calls 1,000,000 -o halo"
    actions = ACTIONS
