"""Sections of a result, which stand beside the answer: one that fails is left out."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from latitude._core import InputError
from latitude.files.progress import Progress
from latitude.notices import kinds
from latitude.notices.notice import Notice
from latitude.results.left_out import SECTIONS, LeftOut

_Found = TypeVar("_Found")


class Sections:
    """Finds sections one after the other, and notes which are left out, and why."""

    def __init__(self, without: Sequence[str], progress: Progress) -> None:
        """`without`: names of sections to leave out. InputError: there is no such section."""
        for name in without:
            if name not in SECTIONS:
                raise InputError(f"without: there is no section '{name}'; {', '.join(SECTIONS)}")
        self._without = without
        self._progress = progress
        self.left_out: list[LeftOut] = []
        self.warnings: list[Notice] = []

    def find(
        self, name: str, compute: Callable[[], _Found], instead: _Found, needs: Sequence[str] = ()
    ) -> _Found:
        """What `compute` returns, or `instead` where the section is left out.

        Args:
            name: of SECTIONS.
            compute: finds the section. Whatever it raises leaves the section out.
            instead: stands in the result of an analysis without the section.
            needs: sections without which this one cannot be found.
        """
        if name in self._without:
            self.left_out.append(LeftOut(section=name, reason="not asked for"))
            return instead
        missing = [each.section for each in self.left_out if each.section in needs]
        if missing:
            reason = f"it needs {' and '.join(SECTIONS[each] for each in missing)}"
            self.left_out.append(LeftOut(section=name, reason=reason))
            return instead
        self._progress.stage(f"Finding {SECTIONS[name]}")
        try:
            return compute()
        except MemoryError:
            self._fails(name, "there is not enough memory for it")
        except Exception as error:  # noqa: BLE001 - the answer stands whatever goes wrong beside it
            self._fails(name, f"{type(error).__name__}: {error}".partition("\n")[0])
        return instead

    def _fails(self, name: str, reason: str) -> None:
        self.left_out.append(LeftOut(section=name, reason=reason))
        self.warnings.append(
            kinds.SECTION_LEFT_OUT(f"{SECTIONS[name]} left out: {reason}", section=name)
        )
