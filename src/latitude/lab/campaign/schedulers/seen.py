"""Reports runs of other runners."""

from contextlib import suppress
from pathlib import Path

from latitude._core import InputError
from latitude.experiments.progress import Show
from latitude.experiments.record import read_run, run_files
from latitude.lab.campaign.directory import Directory


class Seen:
    """Reports each new attempt on disk once."""

    def __init__(self, directory: Directory, show: Show) -> None:
        self._directory = directory
        self._show = show
        self._known = self._files()
        self.count = 0
        """Number of attempts reported so far."""

    def look(self) -> None:
        """Reports attempts that are new since the last call."""
        new = self._files() - self._known
        for _, path in sorted(new):
            with suppress(InputError):  # set aside just now by another attempt
                run = read_run(path)[0]
                self._show.ran(run, again=self._directory.next_attempt(run.run_id) is not None)
        self._known |= new
        self._show.done(len(self._directory.plan.runs) - len(self._directory.pending()))
        self.count += len(new)

    def _files(self) -> set[tuple[int, Path]]:
        """Files with their times, because the file of a second attempt has the same name."""
        found = set()
        for path in run_files(self._directory.path):
            with suppress(FileNotFoundError):
                found.add((path.stat().st_mtime_ns, path))
        return found
