"""Sections of a result: Latitude leaves out a section that fails, and keeps the answer."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from latitude._core import InputError
from latitude.files.progress import Progress
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.results.left_out import SECTIONS, LeftOut

_Found = TypeVar("_Found")


class Sections:
    """Finds sections one after the other, and records which it leaves out, with the reasons."""

    def __init__(self, without: Sequence[str], progress: Progress) -> None:
        """`without`: names of sections to leave out. InputError: a name is not in SECTIONS."""
        for name in without:
            if name not in SECTIONS:
                raise InputError(f"without: there is no section '{name}'; {', '.join(SECTIONS)}")
        self._without = without
        self._progress = progress
        self._missing: set[str] = set()
        self.left_out: list[LeftOut] = []
        self.warnings: list[Notice] = []

    def find(
        self, name: str, compute: Callable[[], _Found], instead: _Found, needs: Sequence[str] = ()
    ) -> _Found:
        """Returns what `compute` finds, or `instead` if the section is left out.

        Args:
            name: one of SECTIONS.
            compute: finds the section. Any exception leaves the section out.
            instead: the value of a section that is left out.
            needs: sections that this section depends on.
        """
        if name in self._without:
            self._leave_out(name, "not asked for")
            return instead
        if missing := [each for each in needs if each in self._missing]:
            self._leave_out(name, f"needs {' and '.join(SECTIONS[each] for each in missing)}")
            return instead
        self._progress.stage(f"Finding {SECTIONS[name]}")
        try:
            return compute()
        except MemoryError:
            self._fails(name, "there is not enough memory for it")
        except Exception as error:  # noqa: BLE001 - no section may cost the answer
            self._fails(name, f"{type(error).__name__}: {error}".partition("\n")[0])
        return instead

    def _fails(self, name: str, why: str) -> None:
        self._leave_out(name, why)
        self.warnings.append(
            kinds.SECTION_LEFT_OUT(f"{SECTIONS[name]} left out: {why}", section=name)
        )

    def _leave_out(self, name: str, why: str) -> None:
        self._missing.add(name)
        self.left_out.append(LeftOut(what=SECTIONS[name], why=why))
