"""A placement as JSON and as launchers' files."""

import json
from dataclasses import asdict
from typing import Any

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
