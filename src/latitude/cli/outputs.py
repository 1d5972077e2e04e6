"""Destinations of a command's results."""

import dataclasses
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latitude._core import InputError
from latitude.files.writing import STDOUT, refuse_existing, refuse_file, write_new
from latitude.notices.saying import visible
from latitude.units.options import Options, flag, option

if TYPE_CHECKING:
    from latitude.render.document import Document

Content = Callable[[], str]
"""A function that makes a text on demand."""


@dataclass(kw_only=True)
class ResultOptions(Options, topic="results"):
    """Destinations of results.

    A command that writes a folder or a table has `directory` and `csv`.
    """

    json: Path | None = option("write the JSON to FILE, or - for stdout", "FILE", Path, often=True)
    force: bool = flag("overwrite results that exist")


def directory_option(files: str, default: Path | None = None) -> Any:
    """Declares -o, the folder for all results; `files` names its files in words."""
    where = "" if default is None else f" (default: {default})"
    return option(
        f"write {files} into DIR{where}",
        "DIR",
        Path,
        default=default,
        spelled="-o",
        topic="results",
        often=True,
    )


def csv_option(what: str) -> Any:
    """The option --csv; `what` describes the table."""
    return option(f"write {what} to FILE, or - for stdout", "FILE", Path, topic="results")


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
        arguments: ResultOptions,
        *names: str,
        others: Iterable[Path] = (),
        kept: Iterable[Path] = (),
    ) -> "Outputs":
        """The destinations that the options name.

        InputError, before the work begins: a file is in the way.

        Args:
            arguments: the options, perhaps with `directory` and `csv`.
            names: files that -o writes, the page first.
            others: additional files of the command.
            kept: files that may exist, because the command continues with their content.
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
        """The page's path, if a page is written."""
        if self.directory is None or not self.names[0].endswith(".html"):
            return None
        return self.directory / self.names[0]

    def uses_stdout(self) -> bool:
        """Whether data goes to standard output, where the summary then must not go."""
        return STDOUT in (self.json, self.csv)

    def write_json(self, json: Content) -> None:
        """Writes the JSON of a result that has no document."""
        self._write_single(json, None)

    def give(self, result: "Document", elsewhere: Iterable[str] = ()) -> None:
        """Writes a document's files on request; prints the document if standard output is free.

        --json writes the JSON (the first) of `result.files`, and --csv the first CSV. A file of
        `names` that the document lacks belongs to another input, and is removed.

        Args:
            result: the document.
            elsewhere: files of the document that the command has kept in another form.
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
        """Writes the files of --json and --csv."""
        for target, content in ((self.json, json), (self.csv, csv)):
            if target is None or content is None:
                continue
            if target == STDOUT:
                text = content()
                sys.stdout.write(visible(text) if sys.stdout.isatty() else text)
            else:
                write_new(target, content(), force=self.force)


def _real(path: Path) -> Path:
    """The path without links.

    Unlike `Path.resolve`, raises no RuntimeError if links form a loop.
    """
    return Path(os.path.realpath(path))


def _page(result: "Document") -> str:
    from latitude.render.html.page import page  # noqa: PLC0415 - Jinja is slow to import

    return page(result)
