"""Programs × levels × repetitions in random order, each run with an id.

A run's id is a hash of its program, its level, repetition and seed. The program's part
is name, launch line, environment, folder relative to the file, and kind and unit of runtime. The
level's part is name, kind, layer, exact latencies, and load. Settings that do not change a run
(time limits, retries, execution) do not change its id.
"""

import hashlib
import json
import os
from dataclasses import dataclass
from typing import Any

from latitude.distributions.table import QuantileTable
from latitude.experiments.planned import LevelPlan, Planned, Subject
from latitude.lab.campaign.description import CampaignFile

_ID = 16
"""Hexadecimal digits of an id; among a million runs two share an id with probability 3e-8."""
_SEED_BITS = 32


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """All runs of a campaign, in the order in which they are made."""

    campaign: CampaignFile
    runs: tuple[Planned, ...]

    def by_id(self) -> dict[str, Planned]:
        """Runs by id."""
        return {run.id: run for run in self.runs}


def plan(campaign: CampaignFile) -> Plan:
    """One block of runs per repetition, shuffled by the seed.

    With blocks, slow changes of the machine affect all levels equally, and an unfinished campaign
    can be evaluated. A run's place depends only on its id, so levels added later do not reshuffle
    the runs of other levels.
    """
    folder = campaign.file.resolve().parent
    programs = {each.name: deciding_program(each, str(folder)) for each in campaign.programs}
    levels = {each.name: deciding_level(each) for each in campaign.levels}
    found = []
    for program in campaign.programs:
        for level in campaign.levels:
            for repetition in range(1, campaign.repetitions + 1):
                names = [campaign.seed, program.name, level.name, repetition]
                seed = _hashed(names) % (1 << _SEED_BITS)
                decides = {
                    "program": programs[program.name],
                    "level": levels[level.name],
                    "repetition": repetition,
                    "seed": seed,
                }
                text = json.dumps(decides, sort_keys=True)
                run_id = hashlib.sha256(text.encode()).hexdigest()[:_ID]
                place = (repetition, _hashed([campaign.seed, run_id]))
                found.append((place, run_id, program, level, repetition, seed))
    found.sort(key=lambda each: each[0])
    runs = (Planned(*each[1:], order) for order, each in enumerate(found, 1))
    return Plan(campaign, tuple(runs))


def deciding_program(program: Subject, folder: str) -> dict[str, Any]:
    """The facts of a program that determine its runs."""
    return {
        "name": program.name,
        "launch": list(program.launch),
        "folder": os.path.relpath(program.folder, folder),
        "environment": program.environment,
        "runtime": program.runtime,
        "unit_ns": program.unit_ns,
    }


def deciding_level(level: LevelPlan) -> dict[str, Any]:
    """The facts of a level that determine its runs."""
    return {
        "name": level.name,
        "kind": level.kind,
        "family": level.family,
        "layer": level.layer,
        "intra_node": level.intra_node,
        "latency": level.latency,
        "table": None if level.table is None else table_sha256(level.table),
        "load": level.load,
        "generator": list(level.generator),
    }


def table_sha256(table: QuantileTable) -> str:
    """SHA-256 of the table's 4,096 values, whatever their source."""
    return hashlib.sha256(table.values.astype("<i8").tobytes()).hexdigest()


def _hashed(words: list[Any]) -> int:
    return int.from_bytes(hashlib.sha256(json.dumps(words).encode()).digest()[:8], "big")
