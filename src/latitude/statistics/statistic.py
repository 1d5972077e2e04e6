"""The form of a statistic of one sample, and of a test of two.

Each is a frozen dataclass whose fields are the shown results; tables have the fields declared as
columns. Its file estimates it, and says in words what was found and what that assumes. To add one,
write such a file and name it as a field of `SampleTail` or of `SamplePair` in
`latitude.lab.results.stats`: JSON, schema, page and terminal follow.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from latitude._types import Floats
from latitude.notices.notice import Notice
from latitude.statistics.conventions import Assumption
from latitude.statistics.corrections import Corrected

if TYPE_CHECKING:
    from typing import Self

    from latitude.statistics.sample import Sample


class Statistic:
    """A statistic of one sample of latencies."""

    __slots__ = ()

    ASSUMPTION: ClassVar[Assumption]
    ABSENT: ClassVar[str] = ""
    """The sentence for a sample without this statistic."""

    @classmethod
    def of(cls, sample: "Sample") -> "Self | None":
        """Estimates the statistic; None if the sample does not have one."""
        raise NotImplementedError

    def sentence(self) -> str:
        """The finding."""
        raise NotImplementedError

    def card(self) -> tuple[str, str, str] | None:
        """Label, value and what that is, where the page of one sample shows it large."""
        return None

    def notices(self, sample: "Sample") -> Sequence[Notice]:  # noqa: ARG002 - most have none
        """Warnings about the statistic."""
        return ()


class PairTest:
    """A test of one sample of latencies against another."""

    __slots__ = ()

    ASSUMPTIONS: ClassVar[Sequence[Assumption]]
    HEAD: ClassVar[Sequence[str]]
    """Heads of its columns in the table with one row per pair."""
    p: Corrected
    """Corrected for all pairs of a result, each kind of test for itself."""

    @classmethod
    def of(cls, first: Floats, second: Floats) -> "Self":
        """Tests two samples, each ascending; p is not corrected yet."""
        raise NotImplementedError

    def cells(self) -> Sequence[str]:
        """Its cells in the table with one row per pair, as many as `HEAD`."""
        raise NotImplementedError
