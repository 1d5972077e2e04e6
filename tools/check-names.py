#!/usr/bin/env python3
"""Names that tell nothing: one class or one file of many rooms. Exit status 1 when there are any.

A public class has a name of its own; a file's name stands in three rooms at most, which are those
of one thing (its command, its result, its document). Sections of an analysis have files of the same
names.
"""

import ast
import sys
from collections import defaultdict
from pathlib import Path

MOST_ROOMS = 3
PACKAGE = Path(__file__).parent.parent / "src" / "latitude"
SECTIONS = PACKAGE / "sections"


def main() -> int:
    """Prints each such name with its places."""
    files, classes = defaultdict(list), defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.name != "__init__.py" and SECTIONS not in path.parents:
            files[path.name].append(path)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                classes[node.name].append(path)
    many = {name: where for name, where in files.items() if len(where) > MOST_ROOMS}
    twice = {f"class {name}": where for name, where in classes.items() if len(where) > 1}
    for name, where in (many | twice).items():
        places = ", ".join(str(path.relative_to(PACKAGE)) for path in where)
        sys.stdout.write(f"{name} is of several rooms: {places}\n")
    return 1 if many or twice else 0


if __name__ == "__main__":
    sys.exit(main())
