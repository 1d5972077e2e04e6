"""The document of a machine: its parts, and the cost of missing parts."""

from itertools import groupby

from latitude.render.document import Document, File, Line, Section, Table, strong
from latitude.results.doctor import MISSING, NOTE, OK, Examination, Finding

_MARKS = {OK: "ok", NOTE: "note", MISSING: "missing"}


def doctor_document(result: Examination) -> Document:
    """One table per area, for the terminal."""
    findings = result.findings
    missing = sum(finding.state == MISSING for finding in findings)
    tables = []
    for area, group in groupby(findings, key=lambda finding: finding.area):
        rows = [row for finding in group for row in _rows(finding)]
        table = Table(("", "", ""), rows, kind="words", brief=len(rows))
        tables.append(Section(area, [table]))
    return Document(
        name=result.provenance.host,
        headline=f"{missing} of {len(findings)} parts missing." if missing else "All found.",
        parts=tables,
        files=[File("doctor.json", result.to_json)],
    )


def _rows(finding: Finding) -> list[tuple[Line, ...]]:
    rows: list[tuple[Line, ...]] = [(_MARKS[finding.state], strong(finding.name), finding.found)]
    if finding.costs:
        rows.append(("", "costs", finding.costs))
    if finding.remedy:
        rows.append(("", "to do", finding.remedy))
    return rows
