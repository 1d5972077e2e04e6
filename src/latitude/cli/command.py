"""What a subcommand is."""

import argparse
from typing import Protocol


class Command(Protocol):
    """A subcommand: its name, its help, its options, its work."""

    name: str
    summary: str
    """One line for `latitude --help`."""
    description: str
    """What `latitude NAME --help` begins with."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares its options."""

    def run(self, arguments: argparse.Namespace) -> None:
        """Does its work; InputError when the input or the options are wrong."""
