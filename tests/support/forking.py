"""`python forking.py ADDRESS WORDS`: `latitude WORDS`, forked by the process at that address.

For shells: it has this process's environment, directory and files, and its status is ours. To start
this takes a twentieth of what `python -m latitude` takes to import, if Python reads no packages
(`-I -S`).
"""

import json
import os
import socket
import sys
from collections.abc import Sequence
from typing import Any


def ask(address: str, asked: dict[str, Any], files: Sequence[int]) -> socket.socket:
    """Asks for a command. The answer is a line with its process, and one with how it ended.

    `files` are the command's descriptors 0, 1 and 2.
    """
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address)
    text = json.dumps(asked).encode()
    sent = socket.send_fds(connection, [text], files)
    connection.sendall(text[sent:])
    connection.shutdown(socket.SHUT_WR)
    return connection


def outcome(connection: socket.socket) -> dict[str, Any]:
    """Waits for the end; how the command ended."""
    with connection, connection.makefile("rb") as answers:
        answers.readline()
        found: dict[str, Any] = json.loads(answers.readline())
        return found


def _forked(address: str, words: Sequence[str]) -> int:
    asked = {
        "words": list(words),
        "cwd": os.getcwd(),  # noqa: PTH109 - pathlib takes longer to import than the rest
        "environment": dict(os.environ),
        "limits": None,
        "session": False,
    }
    status: int = outcome(ask(address, asked, (0, 1, 2)))["status"]
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(_forked(sys.argv[1], sys.argv[2:]))
