"""Where a result of several files comes from."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from latitude.files.provenance import Digest, Provenance, provenance


def origin(paths: Sequence[Path], digest: Digest) -> Provenance:
    """As `provenance`, naming every file."""
    return replace(provenance(paths[0], digest), input=", ".join(map(str, paths)))


def digest_of(paths: Sequence[Path]) -> Digest:
    """Of the files, and of those in the directories, in order of their names."""
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            files += sorted(entry for entry in path.rglob("*") if entry.is_file())
        else:
            files.append(path)
    return Digest(files)
