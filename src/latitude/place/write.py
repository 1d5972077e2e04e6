"""A placement as JSON and as launchers' files."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from latitude.files import write_new
from latitude.place.launchers import Launch, launches
from latitude.place.results import Judged, PlaceResult

SCHEMA = "latitude.place/1"
JSON_FILE = "place.json"


def to_json(result: PlaceResult) -> str:
    """The result as `latitude.place/1`; times in ns."""
    content = {
        "schema": SCHEMA,
        "provenance": asdict(result.provenance),
        "machine": {
            "nodes": result.nodes,
            "cores": result.cores,
            "hosts": result.hosts,
            "model": result.network.describe(),
            "topology": None if result.network.topology is None else result.network.topology.spec,
        },
        "search": {
            "start": result.start,
            "evaluations": result.evaluations,
            "seconds": result.seconds,
            "finished": result.finished,
        },
        "gain": {j.name: result.gain(j) for j in result.judged[:-1]},
        "placements": [_judged(j) for j in result.judged],
    }
    lines = [f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in content.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _judged(judged: Judged) -> dict[str, Any]:
    return {
        "name": judged.name,
        "T_ns": judged.T_ns,
        "node_of_rank": judged.node_of_rank.tolist(),
        "links": [asdict(link) for link in judged.links],
    }


def files_in(directory: Path, result: PlaceResult) -> list[tuple[Path, Launch]]:
    """Where each launcher's file goes."""
    found = launches(result.best.node_of_rank, result.hosts)
    return [(directory / launch.file, launch) for launch in found]


def write(directory: Path, result: PlaceResult, *, force: bool) -> None:
    """Writes the JSON and the launchers' files."""
    for path, launch in files_in(directory, result):
        write_new(path, launch.content, force=force)
    write_new(directory / JSON_FILE, to_json(result), force=force)
