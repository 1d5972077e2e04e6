"""Where a command's results go."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from latitude._core import InputError
from latitude.files import refuse_existing, write_new

STDOUT = Path("-")

Content = Callable[[], str]
"""Text that is made only when it is wanted."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """A directory for everything, a file for the JSON, a file for the main CSV."""

    directory: Path | None = None
    json: Path | None = None
    csv: Path | None = None
    force: bool = False

    def page(self) -> Path | None:
        """The report, when one is written."""
        return None if self.directory is None else self.directory / "report.html"

    def uses_stdout(self) -> bool:
        """Whether data goes to standard output, so that the summary must not."""
        return STDOUT in (self.json, self.csv)

    def check(self, names: tuple[str, ...]) -> None:
        """InputError before the work when something is in the way."""
        files = [path for path in (self.json, self.csv) if path is not None and path != STDOUT]
        if self.directory is not None:
            if self.directory.exists() and not self.directory.is_dir():
                raise InputError(f"{self.directory}: is a file; give a directory to -o")
            files += [self.directory / name for name in names]
        refuse_existing(files, force=self.force)

    def write(self, contents: Mapping[str, Content | None], json: Content, csv: Content) -> None:
        """Writes what was asked for.

        Args:
            contents: files of the directory; None where this result has nothing to put there.
            json: for --json.
            csv: for --csv.
        """
        if self.directory is not None:
            texts = {name: content and content() for name, content in contents.items()}
            for name, text in texts.items():
                path = self.directory / name
                if text is None:
                    path.unlink(missing_ok=True)  # of another input's result, overwritten here
                else:
                    write_new(path, text, force=self.force)
        for target, content in ((self.json, json), (self.csv, csv)):
            if target == STDOUT:
                sys.stdout.write(content())
            elif target is not None:
                write_new(target, content(), force=self.force)
