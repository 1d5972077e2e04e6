"""Checks whether there is a Slurm, and whether it answers."""

import shutil
from collections.abc import Iterator

from latitude.launch.ask import ask
from latitude.results.doctor import MISSING, NOTE, OK, Finding

_AREA = "Slurm"
_LIMIT_S = 10
_COSTS = "`latitude background` needs a saved queue (--queue FILE); no `srun`"


def slurm() -> Iterator[Finding]:
    """A finding with Slurm's version, which tells whether the controller answers."""
    if shutil.which("sinfo") is None:
        yield Finding(
            area=_AREA,
            name="sinfo",
            state=MISSING,
            found="not installed",
            costs=_COSTS,
            remedy="only on a cluster: run `latitude doctor` on its login node",
            facts={"installed": False, "answers": False},
        )
        return
    about = ask(["sinfo", "--version"], _LIMIT_S)  # also fails without a configuration
    version = about.text.strip() if about.ok else "Slurm"
    state = ask(["sinfo", "--noheader", "--format=%D %P"], _LIMIT_S)
    answers, said = state.ok, state.text.strip()
    facts = {"installed": True, "version": version, "answers": answers}
    if answers:
        partitions = [line.split() for line in said.splitlines() if line.strip()]
        nodes = ", ".join(f"{name} ({count} nodes)" for count, name in partitions)
        yield Finding(
            area=_AREA, name="sinfo", state=OK, found=f"{version}; answers: {nodes}", facts=facts
        )
        return
    why = said.splitlines()[-1] if said else "no answer"
    yield Finding(
        area=_AREA,
        name="sinfo",
        state=NOTE,
        found=f"{version} installed, but the controller does not answer: {why}",
        costs=_COSTS,
        remedy="check SLURM_CONF and that slurmctld runs",
        facts=facts,
    )
