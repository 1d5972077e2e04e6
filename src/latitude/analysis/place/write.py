"""A placement as JSON and as launchers' files."""

from dataclasses import asdict
from typing import Any

from latitude.analysis.place.results import Judged, PlaceResult
from latitude.files.text import finite, json_text

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
            "network": result.network.describe(),
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
    return json_text(finite(content))


def _judged(judged: Judged) -> dict[str, Any]:
    return {
        "name": judged.name,
        "T_ns": judged.T_ns,
        "node_of_rank": judged.node_of_rank.tolist(),
        "links": [asdict(link) for link in judged.links],
    }
