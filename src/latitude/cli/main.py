"""Entry point. It imports nothing before Ctrl-C has a handler, because imports take 0.1 s."""

from latitude.cli.interrupted import EXIT_INTERRUPTED, EndingAtOnce

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing `typing` takes time, too
    from collections.abc import Sequence


def main(argv: "Sequence[str] | None" = None) -> int:
    """Runs the command line; returns the exit status."""
    with EndingAtOnce():
        from latitude.cli.boundary import run  # noqa: PLC0415 - see above
    try:
        return run(argv)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
