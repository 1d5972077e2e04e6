"""Tests of times: what they are judged by, and their third outcome, told loudly at the end."""

from collections.abc import Callable, Generator

import pytest

from support import command
from support.timing import CannotTellError, Disturbance, Machine, Probe

OUTCOME = "cannot tell"
ANYWAY = "--judge-anyway"


class Blind(Probe):
    """Sees no disturbance."""

    def look(self) -> Disturbance:
        return Disturbance()

    def beside(self, block: Callable[[], object]) -> Disturbance:
        block()
        return Disturbance()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds an option to try tests on a busy machine, in which case failures mean nothing."""
    parser.addoption(ANYWAY, action="store_true", help="judge blocks that are disturbed, too")


@pytest.fixture(scope="session", autouse=True)
def _children() -> Generator[None]:
    """Commands are children of the tests' process: what others use of the processors is told apart
    by what it and its children do.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "FORKS", False)
        yield


@pytest.fixture(scope="session")
def machine(request: pytest.FixtureRequest) -> Machine:
    """The machine that times are measured on."""
    probe = Blind if request.config.getoption(ANYWAY) else Probe
    return Machine(probe())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Function, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Each block's numbers are kept beside the outcome, so that one sees how near limits are.

    A test that cannot tell has neither passed nor failed.
    """
    report = yield
    if call.when == "call" and isinstance(machine := item.funcargs.get("machine"), Machine):
        item.user_properties += [("judged", each.told()) for each in machine.judged]
        machine.judged.clear()
    if call.excinfo is not None and call.excinfo.errisinstance(CannotTellError):
        report.outcome = "skipped"
        report.longrepr = (str(report.fspath), report.location[1] or 0, str(call.excinfo.value))
        report.cannot_tell = str(call.excinfo.value)  # type: ignore[attr-defined]
    return report


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
