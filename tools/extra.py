#!/usr/bin/env python3
"""Prints the requirements of pyproject.toml's extras, one per line: `extra.py full dev`.

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
print(*(requirement for name in sys.argv[1:] for requirement in extras[name]), sep="\n")  # noqa: T201
