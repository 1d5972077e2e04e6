"""The outcome of a command."""

import subprocess

Done = subprocess.CompletedProcess[str]


class FailedError(Exception):
    """A command ended as it should not: a defect, not a time that may be measured again."""


def succeeded(done: Done) -> Done:
    """Asserts that a command succeeded."""
    return ended_with(0, done)


def ended_with(status: int, done: Done) -> Done:
    """Asserts this exit status."""
    if done.returncode != status:
        raise FailedError(f"exit status {done.returncode}\n{done.stderr}{done.stdout}")
    return done
