"""What `latitude verify` found: claims of a result, and the exact numbers."""

from typing import ClassVar

from latitude.files.provenance import Provenance
from latitude.notices.notice import Notice
from latitude.results.declared import Amount, Count, Nanoseconds, Part, Result, Unbounded


class VerifiedClaim(Part, frozen=True, kw_only=True):
    """A kind of number that the result states."""

    name: str
    """The field, e.g. `baseline.T_ns`, `breakpoints.lambda_right`."""
    unit: str
    """ns, ns/B, or empty for what is a count, a share or a word."""
    stated: Count
    """How many the result states."""
    rejected: Count
    largest_difference: Amount
    """From the exact numbers, of those that were accepted."""
    allowed: Amount
    """The largest difference that was allowed to any of them."""


class Rejection(Part, frozen=True, kw_only=True):
    """A number, or a word, that is not what was proved."""

    claim: str
    """The field."""
    where: str
    """Which one of several: `L = 4.2 µs`, `at 1 %`; empty where there is one."""
    stated: Unbounded | str | None
    """null: none, or infinite."""
    exact: Unbounded | str | None
    """As a double; null: none, or infinite."""
    unit: str
    reason: str
    """Why it is not accepted, in words."""


class Certificate(Part, frozen=True, kw_only=True):
    """What proves T, in files; HiGHS took it as the optimum."""

    program: str
    """Linear program: min t over all inequalities."""
    solution: str
    """Start times that satisfy them (T is no more), and the critical path as duals (nor less)."""
    T_ns: Nanoseconds
    """By HiGHS."""
    iterations: Count
    """That HiGHS took from the certificate to the optimum: 0."""


class Verification(Result, frozen=True, kw_only=True):
    """Result of `latitude verify`."""

    SCHEMA: ClassVar[str] = "latitude.verification/1"

    provenance: Provenance
    """Of this verification; its input is the result's."""
    result: str
    """The file that was verified."""
    command: str
    """That it says it was made by."""
    theta: str
    """What it varies."""
    inequalities: Count
    """That T was proved with."""
    proofs: Count
    """How often a path and potentials of one length were found."""
    corners: Count
    """Critical values in the interval, exactly."""
    claims: list[VerifiedClaim]
    rejections: list[Rejection]
    """The first 1,000 of each claim."""
    rejected: Count
    """All."""
    not_verified: list[str]
    """Fields that are not looked at."""
    certificate: Certificate | None
    """null: not asked for."""
    warnings: list[Notice]

    @property
    def holds(self) -> bool:
        """Whether all claims do."""
        return not self.rejected
