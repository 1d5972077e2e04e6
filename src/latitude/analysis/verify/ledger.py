"""What was stated, side by side with what was proved."""

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction

from latitude.results.verification import Rejection, VerifiedClaim

_MOST_SHOWN = 1_000
"""Rejections of a claim that are kept."""
_LONGEST = 200
"""Characters of a word that is shown; a file may state anything."""


@dataclass
class _Count:
    unit: str
    stated: int = 0
    rejected: int = 0
    largest: float = 0.0
    allowed: float = 0.0


Number = Fraction | float | None
"""None: infinite, or none."""


@dataclass
class Ledger:
    """Every claim that was looked at, and those that were rejected."""

    _counts: dict[str, _Count] = field(default_factory=dict)
    _rejections: dict[str, list[Rejection]] = field(default_factory=lambda: defaultdict(list))

    def number(
        self,
        name: str,
        stated: Number,
        exact: Number,
        allowed: Fraction | float,
        *,
        unit: str = "",
        where: str = "",
        reason: str = "",
    ) -> bool:
        """A number that may differ by so much; both may be None."""
        count = self._count(name, unit)
        if stated is None or exact is None:
            if stated is exact:
                return True
            return self.reject(name, stated, exact, unit=unit, where=where, reason=reason)
        difference = abs(Fraction(stated) - Fraction(exact))
        count.allowed = max(count.allowed, float(allowed))
        if difference <= allowed:
            count.largest = max(count.largest, float(difference))
            return True
        return self.reject(name, stated, exact, unit=unit, where=where, reason=reason)

    def same(
        self, name: str, stated: object, exact: object, *, where: str = "", reason: str = ""
    ) -> bool:
        """A word, a whole number, or anything else that is the same or is not."""
        self._count(name, "")
        if stated == exact and isinstance(stated, bool) == isinstance(exact, bool):
            return True
        return self.reject(name, _shown(stated), _shown(exact), where=where, reason=reason)

    def order(self, name: str, *, holds: bool, where: str = "", reason: str) -> bool:
        """That rows are in order, or not too many."""
        self._count(name, "")
        return holds or self.reject(name, None, None, where=where, reason=reason)

    def reject(
        self,
        name: str,
        stated: Number | str,
        exact: Number | str,
        *,
        unit: str = "",
        where: str = "",
        reason: str = "",
    ) -> bool:
        """A claim that was counted does not hold."""
        self._counts[name].rejected += 1
        known = self._rejections[name]
        if len(known) < _MOST_SHOWN:
            known.append(
                Rejection(
                    claim=name,
                    where=where,
                    stated=_plain(stated),
                    exact=_plain(exact),
                    unit=unit,
                    reason=reason or "is not what was proved",
                )
            )
        return False

    def _count(self, name: str, unit: str) -> _Count:
        count = self._counts.setdefault(name, _Count(unit))
        count.stated += 1
        return count

    def claims(self) -> list[VerifiedClaim]:
        """In the order in which they were first looked at."""
        return [
            VerifiedClaim(
                name=name,
                unit=count.unit,
                stated=count.stated,
                rejected=count.rejected,
                largest_difference=count.largest,
                allowed=count.allowed,
            )
            for name, count in self._counts.items()
        ]

    def rejections(self) -> list[Rejection]:
        """The same order."""
        return [each for name in self._counts for each in self._rejections.get(name, ())]


def _plain(value: Number | str) -> float | str | None:
    return float(value) if isinstance(value, Fraction) else value


def _shown(value: object) -> float | str | None:
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
