"""The hosts that other tests use are hosts: tests/support/hosts."""

import signal
import subprocess
import sys
import time

import pytest

from support.mpi.spanning import HOSTS, Spanning

SENDER = "import socket; s = socket.create_connection(('node2', 5000)); s.sendall(bytes(3_000_000))"
RECEIVER = """
import socket, time
connection, _ = socket.create_server(("", 5000)).accept()
begin, count = time.monotonic(), 0
while data := connection.recv(1 << 16):
    count += len(data)
print(count / (time.monotonic() - begin))
"""


def test_launchers_span_them_without_an_option(spanning: Spanning) -> None:
    spanning.count, spanning.slots = 3, 2
    done = spanning.run(*spanning.mpi.run(6, "hostname"))
    names = ["node1", "node2", "node3"]
    assert sorted(done.stdout.split()) == sorted(names * 2)


@pytest.mark.measures
def test_a_link_has_its_rate(open_mpi_spanning: Spanning) -> None:
    """Of 1,514 bytes of a frame TCP carries 1,448."""
    open_mpi_spanning.rate = "100mbit"
    (open_mpi_spanning.directory / "receive.py").write_text(RECEIVER)
    line = f'/mnt/enter node2 {sys.executable} $PWD/receive.py & sleep 0.5; "$@"; wait'
    done = open_mpi_spanning.run("sh", "-c", line, "sh", sys.executable, "-c", SENDER)
    assert 0.90 < float(done.stdout) / (100e6 / 8) < 0.99


def test_each_has_a_clock_of_its_own(open_mpi_spanning: Spanning) -> None:
    tell = "cut -d. -f1 /proc/uptime"
    done = open_mpi_spanning.run("sh", "-c", f"{tell}; /mnt/enter node2 '{tell}'")
    first, second = map(int, done.stdout.split())
    assert 998 < second - first < 1002


def test_the_exit_status_is_the_commands(open_mpi_spanning: Spanning) -> None:
    assert open_mpi_spanning.start("sh", "-c", "exit 7").returncode == 7


def test_nothing_is_left_when_it_is_killed(open_mpi_spanning: Spanning) -> None:
    words = open_mpi_spanning.words("sh", "-c", "echo up; exec sleep 12321")
    process = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline() == b"up\n"
    assert sleeping("12321")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    end = time.monotonic() + 5
    while sleeping("12321") and time.monotonic() < end:
        time.sleep(0.05)
    assert not sleeping("12321")


def sleeping(seconds: str) -> list[str]:
    """Processes that do."""
    words = ["/usr/bin/pgrep", "-f", f"^sleep {seconds}"]
    done = subprocess.run(words, capture_output=True, check=False, encoding="utf-8")
    return done.stdout.split()


def test_without_root_it_says_so() -> None:
    words = ["/usr/bin/unshare", "--user", sys.executable, HOSTS, "2", "--", "true"]
    done = subprocess.run(words, capture_output=True, check=False, encoding="utf-8")
    assert done.returncode == 1
    assert done.stderr == "hosts: error: only root can make hosts\n"
