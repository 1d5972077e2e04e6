"""`latitude synthesize`: synthetic programs and jobs."""

from latitude.cli.command import Action, Group
from latitude.cli.synthesize.llm import Llm
from latitude.cli.synthesize.nccl import Nccl
from latitude.cli.synthesize.patterns import PATTERNS

ACTIONS: tuple[Action, ...] = (*PATTERNS, Nccl(), Llm())


class SynthesizeCommand(Group):
    """Writes traces and graphs of known structure, which no run produced."""

    description = """\
Writes a synthetic program with a known structure. Use it to test a planned machine, to see how T
and λ depend on a communication pattern, or to measure the speed of Latitude. The first three
patterns become traces of any length, the others execution graphs in GOAL."""
    example = "latitude synthesize halo --ranks 64 --calls 1,000,000 -o halo"
    actions = ACTIONS
