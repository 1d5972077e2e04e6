"""Help without what is the same for many commands: that stands once, under `latitude help`."""

import argparse
import textwrap
from collections.abc import Iterable
from typing import Any

TOPICS = {
    "network (LogGPS)": "parameters",
    "nodes": "nodes",
    "trace": "traces",
}
"""Groups of options that several commands share, by title, and the topic that explains them."""


class ShortHelp(argparse.RawDescriptionHelpFormatter):
    """Of a shared group only the names of its options, of the usage what cannot be left out."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._topic: str | None = None

    def start_section(self, heading: str | None) -> None:
        super().start_section(heading)
        self._topic = TOPICS.get(heading or "")

    def end_section(self) -> None:
        self._topic = None
        super().end_section()

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[Any],
        prefix: str | None = None,
    ) -> None:
        super().add_usage(usage or _usage(actions), actions, groups, prefix)

    def add_text(self, text: str | None) -> None:
        if self._topic is None:
            super().add_text(text)

    def add_arguments(self, actions: Iterable[argparse.Action]) -> None:
        if self._topic is None:
            super().add_arguments(actions)
            return
        topic, self._topic = self._topic, None
        names = ", ".join(action.option_strings[-1] for action in actions)
        explained = f"{names}: see `latitude help {topic}`"
        self.add_text(textwrap.fill(explained, 76, break_on_hyphens=False))


def _usage(actions: Iterable[argparse.Action]) -> str:
    """The options that are required, and what is no option."""
    words = ["%(prog)s"]
    options = [action for action in actions if action.option_strings]
    words += [
        f"{action.option_strings[-1]} {action.metavar}" for action in options if action.required
    ]
    words.append("[OPTIONS]")
    forms = {"None": "{0}", "?": "[{0}]", "+": "{0} [{0} ...]"}
    for action in actions:
        if not action.option_strings:
            words.append(forms.get(str(action.nargs), "{0} ...").format(action.metavar))
    return " ".join(words).replace("%", "%%").replace("%%(prog)s", "%(prog)s")
