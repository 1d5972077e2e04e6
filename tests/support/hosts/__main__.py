"""Makes namespaces and goes on in them: see options.py, and then inside.py."""

import os
import shutil
import sys
from pathlib import Path

from options import parsed

INSIDE = Path(__file__).with_name("inside.py")
NAMESPACES = ("--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
NEEDED = ("unshare", "nsenter", "taskset", "mount", "sysctl", "ip", "tc")

parsed(sys.argv[1:])
missing = [program for program in NEEDED if shutil.which(program) is None]
if missing:
    sys.exit(f"hosts: error: not installed: {' '.join(missing)}; run tools/need-hosts.sh")
if os.geteuid() != 0:
    sys.exit("hosts: error: only root can make hosts")
words = ["unshare", *NAMESPACES, "--", sys.executable, str(INSIDE), *sys.argv[1:]]
os.execvp(words[0], words)  # noqa: S606
