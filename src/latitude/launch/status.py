"""Exit statuses as shells report them."""

SIGNALLED = 128
"""A command ended by signal n has the status 128 + n."""


def as_shell(code: int) -> int:
    """Of a `returncode` of subprocess, which is -n for signal n."""
    return code if code >= 0 else SIGNALLED - code
