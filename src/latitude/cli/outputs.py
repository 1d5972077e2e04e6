"""Where a command's results go."""

import argparse
import dataclasses
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from latitude._core import InputError
from latitude.files.writing import STDOUT, refuse_existing, refuse_file, write_new
from latitude.notices.saying import visible

if TYPE_CHECKING:
    from latitude.render.document import Document

Content = Callable[[], str]
"""Text that is made only when it is wanted."""


def add_results(
    parser: argparse.ArgumentParser, files: str = "", csv: str = "", default: Path | None = None
) -> "argparse._ArgumentGroup":
    """-o, --json, --csv and --force, and returns their group, for other results.

    Args:
        parser: of the command.
        files: what -o writes, in words; without it there is no -o.
        csv: what --csv writes, in words; without it there is no --csv.
        default: the directory when -o is not given.
    """
    group = parser.add_argument_group("results")
    if files:
        where = "" if default is None else f" (default: {default})"
        group.add_argument(
            "-o",
            dest="directory",
            metavar="DIR",
            type=Path,
            default=default,
            help=f"write {files} into DIR{where}",
        )
    group.add_argument(
        "--json", metavar="FILE", type=Path, help="write the JSON to FILE, or - for stdout"
    )
    if csv:
        group.add_argument(
            "--csv", metavar="FILE", type=Path, help=f"write {csv} to FILE, or - for stdout"
        )
    group.add_argument("--force", action="store_true", help="overwrite results that exist")
    return group


@dataclass(frozen=True, slots=True)
class Outputs:
    """A directory for everything, a file for the JSON, a file for the main CSV."""

    directory: Path | None
    json: Path | None
    csv: Path | None
    force: bool
    names: tuple[str, ...]
    """Files of the directory, the page first."""

    @classmethod
    def of(
        cls,
        arguments: argparse.Namespace,
        *names: str,
        others: Iterable[Path] = (),
        kept: Iterable[Path] = (),
    ) -> "Outputs":
        """As the options say. InputError before the work when something is in the way.

        Args:
            arguments: of `add_results`.
            names: files that -o writes, the page first.
            others: files the command writes beside them.
            kept: files of its own that it goes on with, which may exist.
        """
        outputs = cls(
            directory=getattr(arguments, "directory", None),
            json=arguments.json,
            csv=getattr(arguments, "csv", None),
            force=arguments.force,
            names=names,
        )
        if outputs.json == outputs.csv == STDOUT:
            raise InputError("--json and --csv: standard output takes one of them; name a file")
        files = [path for path in (outputs.json, outputs.csv) if path not in (None, STDOUT)]
        if outputs.directory is not None:
            refuse_file(outputs.directory)
            files += [outputs.directory / name for name in names]
        every = [*filter(None, files), *others]
        for path, count in Counter(map(_real, (*every, *kept))).items():
            if count > 1 and not path.is_char_device():
                raise InputError(f"{path}: two results cannot be one file; name another one")
        refuse_existing(every, force=outputs.force)
        return outputs

    def page(self) -> Path | None:
        """The page, when one is written."""
        if self.directory is None or not self.names[0].endswith(".html"):
            return None
        return self.directory / self.names[0]

    def uses_stdout(self) -> bool:
        """Whether data goes to standard output, so that the summary must not."""
        return STDOUT in (self.json, self.csv)

    def write_json(self, json: Content) -> None:
        """The JSON of a result that is told in another way than as a document."""
        self._write_single(json, None)

    def give(self, result: "Document", elsewhere: Iterable[str] = ()) -> None:
        """Writes a document's page and files where asked, else tells it on the terminal.

        Of `result.files`, the JSON (the first) is what --json writes and the first CSV what --csv
        writes; a file of `names` that the document lacks is removed, being of another input.

        Args:
            result: the document.
            elsewhere: its files that the command has kept in another form.
        """
        # The page carries the files, too: each text is made once.
        files = [dataclasses.replace(file, text=cache(file.text)) for file in result.files]
        result = dataclasses.replace(result, files=files)
        texts = {file.name: file.text for file in result.files}
        if self.directory is not None:
            if lost := texts.keys() - {*self.names, *elsewhere}:
                raise ValueError(f"not among the files of the command: {sorted(lost)}")
            for name in self.names:
                path = self.directory / name
                text = partial(_page, result) if path == self.page() else texts.get(name)
                if text is None:
                    path.unlink(missing_ok=True)
                else:
                    write_new(path, text(), force=self.force)
        if result.files:
            tables = [file.text for file in result.files if file.name.endswith(".csv")]
            self._write_single(result.files[0].text, next(iter(tables), None))
        if not self.uses_stdout():
            from latitude.render.terminal import print_document  # noqa: PLC0415 - as Jinja is

            print_document(result, self.page())

    def _write_single(self, json: Content, csv: Content | None) -> None:
        """The files of --json and --csv."""
        for target, content in ((self.json, json), (self.csv, csv)):
            if target is None or content is None:
                continue
            if target == STDOUT:
                text = content()
                sys.stdout.write(visible(text) if sys.stdout.isatty() else text)
            else:
                write_new(target, content(), force=self.force)


def _real(path: Path) -> Path:
    """The path without links; unlike `Path.resolve`, no RuntimeError where they form a loop."""
    return Path(os.path.realpath(path))


def _page(result: "Document") -> str:
    from latitude.render.html.page import page  # noqa: PLC0415 - Jinja is slow to import

    return page(result)
