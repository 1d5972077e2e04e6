"""Tests of times: what they are judged by, and their third outcome, told loudly at the end."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.timing import CannotTellError, Machine, Probe

OUTCOME = "cannot tell"


@pytest.fixture(scope="session")
def machine(builds: Path) -> Machine:
    """The machine that times are measured on."""
    return Machine(Probe(builds))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Iterator[None]:
    """A test that cannot tell has neither passed nor failed."""
    report = yield
    if call.excinfo is not None and call.excinfo.errisinstance(CannotTellError):
        report.outcome = "skipped"
        report.longrepr = (str(report.fspath), report.location[1], str(call.excinfo.value))
        report.cannot_tell = str(call.excinfo.value)
    return report  # type: ignore[return-value]


def pytest_report_teststatus(
    report: pytest.TestReport,
) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
    """A category, a letter and a word of its own."""
    if hasattr(report, "cannot_tell"):
        return OUTCOME, "?", (OUTCOME.upper(), {"yellow": True})
    return None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line for each, with its reason."""
    found = terminalreporter.stats.get(OUTCOME, [])
    if not found:
        return
    terminalreporter.section(f"CANNOT TELL on this machine: {len(found)} tests", yellow=True)
    for report in found:
        terminalreporter.line(f"{report.nodeid}: because {report.cannot_tell}", yellow=True)
