#!/usr/bin/env python3
"""What an extra of pyproject.toml requires, one requirement per line: `extra.py dev`.

So pip installs it without building the package once more.
"""

import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

with (Path(__file__).parent.parent / "pyproject.toml").open("rb") as file:
    extras = tomllib.load(file)["project"]["optional-dependencies"]
print("\n".join(extras[sys.argv[1]]))  # noqa: T201
