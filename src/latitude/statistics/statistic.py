"""The form of a statistic of one sample, and of a test of two.

Each statistic or test is a frozen dataclass whose fields are the shown results; tables have the
fields declared as columns. Its file estimates the statistic, and puts the finding and the
assumptions into words. To add a statistic, write such a file, and make it a field of `SampleTail`
or of `SamplePair` in `latitude.lab.results.stats`. JSON, schema, page and terminal follow.
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
        """The finding as a sentence."""
        raise NotImplementedError

    def card(self) -> tuple[str, str, str] | None:
        """Label, value and meaning, if the page of one sample shows the statistic large."""
        return None

    def notices(self, sample: "Sample") -> Sequence[Notice]:  # noqa: ARG002 - most have none
        """Warnings about the statistic."""
        return ()


class PairTest:
    """A test of two samples of latencies."""

    __slots__ = ()

    ASSUMPTIONS: ClassVar[Sequence[Assumption]]
    HEAD: ClassVar[Sequence[str]]
    """Heads of the test's columns in a table with one row per pair."""
    p: Corrected
    """p-value, corrected over all pairs of a result, separately for each kind of test."""

    @classmethod
    def of(cls, first: Floats, second: Floats) -> "Self":
        """Tests two ascending samples; p is not yet corrected."""
        raise NotImplementedError

    def cells(self) -> Sequence[str]:
        """Cells in a table with one row per pair, as many as `HEAD`."""
        raise NotImplementedError
