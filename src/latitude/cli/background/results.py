"""Where results go, and how the terminal shows them."""

import json
from collections.abc import Mapping
from typing import Any

from latitude.cli.outputs import Outputs

WIDTH = 100


def to_json(content: Mapping[str, Any]) -> str:
    """Readable, and the same in every run."""
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def put_json(outputs: Outputs, content: Mapping[str, Any]) -> bool:
    """Writes the JSON where it was asked for; True when it went to standard output."""
    outputs.write(json=lambda: to_json(content))
    return outputs.uses_stdout()
