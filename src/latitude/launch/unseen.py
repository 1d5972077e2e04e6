"""Reasons why a command's ranks left no file, from the command and its end."""

import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from latitude.launch.application import Application
from latitude.launch.launcher import Launcher


def removed(directory: Path) -> str:
    """A sentence that says that the directory is gone; empty if the directory exists."""
    if directory.exists():
        return ""
    return f"the directory {directory} was removed while the command ran; give one that stays"


def unstarted(
    command: Sequence[str],
    launcher: Launcher | None,
    program: Application | None,
    status: int,
    environment: Mapping[str, str],
) -> str:
    """The reason why no rank could begin, or have the library preloaded; empty if not known.

    Args:
        command: the command's words.
        launcher: the command's launcher.
        program: the command's compiled program.
        status: the command's exit status, as in a shell.
        environment: the environment of its start.
    """
    if launcher is not None and status and (missing := _not_found(command, launcher, environment)):
        return missing
    if program is not None and program.static:
        return (
            f"{program.path} is statically linked, so no library can be preloaded into it; link it "
            "dynamically"
        )
    if program is not None and program.privileged:
        return (
            f"{program.path} has set-user-ID rights or capabilities, with which the loader ignores "
            "LD_PRELOAD; run a copy without them"
        )
    return ""


def how(status: int) -> str:
    """The end of a failed command, as part of a sentence: ` with status 5`."""
    return f" with status {status}" if status else ""


def _not_found(command: Sequence[str], launcher: Launcher, environment: Mapping[str, str]) -> str:
    """A sentence if no word after the launcher is a program, otherwise empty.

    Latitude looks at all words, because it does not interpret the launcher's options.
    """
    words = command[launcher.index + 1 :]
    if any(shutil.which(word, path=environment.get("PATH")) for word in words):
        return ""
    paths = [word for word in words if "/" in word and not word.startswith("-")]
    if len(paths) == 1:
        what = "cannot be executed" if Path(paths[0]).exists() else "no such program"
        return f"{paths[0]}: {what}"
    return (
        f"no word of `{shlex.join(words)}` is a program that can be found; give its path, e.g. "
        "./app"
    )
