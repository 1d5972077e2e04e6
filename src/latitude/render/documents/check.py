"""Documents of a check: on the terminal, as JUnit XML and as a Markdown table."""

import re
import xml.etree.ElementTree as ET

from latitude.notices.saying import visible
from latitude.render.document import Document, File, strong
from latitude.render.tables import table
from latitude.results.check import Checked, Verdict
from latitude.units.quantities import counted

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot represent."""
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#~&])")


def check_document(checked: Checked) -> Document:
    """The document of a check, with one row per demand."""
    verdicts = table(
        checked.verdicts,
        ("", lambda verdict: "holds" if verdict.holds else strong("fails")),
        "name",
        ("demand", lambda verdict: _line(verdict.demand)),
        ("found", lambda verdict: _line(verdict.found)),
        kind="words",
    )
    return Document(
        name=checked.provenance.input,
        headline=headline(checked),
        parts=[verdicts],
        notices=checked.warnings,
        files=[File("check.json", checked.to_json)],
    )


def headline(checked: Checked) -> str:
    """The number of demands that hold, and the functions to blame if some fail."""
    count = counted(len(checked.verdicts), "demand")
    if checked.holds:
        return f"All of {count} hold." if len(checked.verdicts) > 1 else "The demand holds."
    named = dict.fromkeys(v.where for v in checked.verdicts if v.where and not v.holds)
    blamed = f": {', '.join(map(_line, named))} became slower" if named else ""
    return (
        f"{checked.failed} of {count} {'does' if checked.failed == 1 else 'do'} not hold{blamed}."
    )


def junit(checked: Checked) -> str:
    """A test suite with one test case per demand, for CI services."""
    failed = str(checked.failed)
    suites = ET.Element("testsuites", tests=str(len(checked.verdicts)), failures=failed)
    suite = ET.SubElement(
        suites,
        "testsuite",
        name="latitude check",
        tests=str(len(checked.verdicts)),
        failures=failed,
        errors="0",
        skipped="0",
        timestamp=checked.provenance.date[:19],
        hostname=_xml(checked.provenance.host),
    )
    for verdict in checked.verdicts:
        case = ET.SubElement(
            suite, "testcase", classname=f"latitude.{verdict.name}", name=_xml(verdict.demand)
        )
        if verdict.holds:
            ET.SubElement(case, "system-out").text = _xml(verdict.found)
        else:
            failure = ET.SubElement(case, "failure", message=_xml(verdict.found))
            failure.text = _xml(_sentence(verdict))
    ET.indent(suites)
    text = ET.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def markdown(checked: Checked) -> str:
    """A headline and a table, for a job's summary or a comment."""
    rows = "".join(
        f"| {'holds' if verdict.holds else '**fails**'} | {verdict.name} | "
        f"{_inert(verdict.demand)} | {_inert(verdict.found)} |\n"
        for verdict in checked.verdicts
    )
    return (
        f"**{_inert(checked.provenance.input)}**: {_inert(headline(checked))}\n\n"
        f"| | check | demand | found |\n|---|---|---|---|\n{rows}"
    )


def _sentence(verdict: Verdict) -> str:
    where = f" ({verdict.where})" if verdict.where else ""
    return f"{verdict.name}{where}: asked was {verdict.demand}; found was {verdict.found}"


def _xml(text: str) -> str:
    return _NO_XML.sub("�", text)


def _inert(text: str) -> str:
    """Text that Markdown shows unchanged, in a cell."""
    return _MARKDOWN.sub(r"\\\1", _line(text))


def _line(text: str) -> str:
    """A text without line ends, so that a name in it cannot add a line, such as a false verdict."""
    return visible(text).replace("\n", "␊")
