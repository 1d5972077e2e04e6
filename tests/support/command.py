"""The type of the fixture that runs the command in a process of its own."""

import subprocess
from collections.abc import Callable

Run = Callable[..., "subprocess.CompletedProcess[str]"]
