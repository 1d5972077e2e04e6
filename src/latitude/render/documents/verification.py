"""What a verification says on the terminal."""

from collections.abc import Iterable

from latitude.render.document import (
    Content,
    Document,
    File,
    Paragraph,
    Part,
    Section,
    Table,
    strong,
)
from latitude.results.verification import Certificate, Rejection, Verification, VerifiedClaim
from latitude.units.quantities import counted

_MOST = 20
"""Rejections on the terminal."""


def verification_document(found: Verification) -> Document:
    """The first rejections, or how far the numbers of each section are from the exact ones."""
    return Document(
        kind="verification",
        name=found.result,
        title="verify",
        facts=[],
        headline=headline(found),
        parts=[
            _accepted(found.claims) if found.holds else _rejected(found),
            *map(_certificate, filter(None, [found.certificate])),
            Section("Not verified", reading=f"{', '.join(found.not_verified)}.", terminal=True),
        ],
        notices=found.warnings,
        files=[File("verification.json", found.to_json)],
        has_page=False,
    )


def headline(found: Verification) -> str:
    """Whether all hold, and what that rests on."""
    count = counted(sum(claim.stated for claim in found.claims), "claim")
    rests = (
        f"T was proved {counted(found.proofs, 'time')}, by a path and by start times that satisfy "
        f"{found.inequalities:,} inequalities."
    )
    if found.holds:
        return f"Verified: all {count} hold. {rests}"
    return f"Rejected: {found.rejected:,} of {count} do not hold. {rests}"


def _accepted(claims: Iterable[VerifiedClaim]) -> Table:
    """One row per section of the result."""
    sections: dict[str, list[VerifiedClaim]] = {}
    for claim in claims:
        sections.setdefault(claim.name.partition(".")[0].partition(" ")[0], []).append(claim)
    rows = []
    for section, own in sections.items():
        times = [claim for claim in own if claim.unit == "ns"]
        farthest = max(times, key=lambda claim: claim.largest_difference, default=None)
        rows.append(
            (
                section,
                f"{sum(claim.stated for claim in own):,}",
                "" if farthest is None else f"{farthest.largest_difference:.2g} ns",
                "" if farthest is None else f"{farthest.allowed:.2g} ns",
            )
        )
    head = ("section", "claims", "farthest from the exact time", "allowed")
    return Table(head, rows, brief=len(rows))


def _rejected(found: Verification) -> Part:
    rows = [_rejection(each) for each in found.rejections[:_MOST]]
    table = Table(("claim", "of", "stated", "exact", "why"), rows, kind="words", brief=_MOST)
    more = found.rejected - len(rows)
    if not more:
        return table
    rest = Paragraph(f"{more:,} more do not hold: --json has them.")
    return Section("Rejected", [table, rest], terminal=True)


def _rejection(each: Rejection) -> tuple[Content, ...]:
    stated, exact = (_value(value, each.unit) for value in (each.stated, each.exact))
    return strong(each.claim), each.where, stated, exact, each.reason


def _certificate(proof: Certificate) -> Section:
    return Section(
        "Certificate",
        reading=f"{proof.program} and {proof.solution}: HiGHS says T = {proof.T_ns!r} ns after "
        f"{counted(proof.iterations, 'iteration')}.",
        terminal=True,
    )


def _value(value: float | str | None, unit: str) -> str:
    if isinstance(value, float):
        return f"{value!r} {unit}".strip()
    return "none" if value is None else value
