"""`latitude inject --ip`: packets between hosts arrive whole, in order, never early."""

import hashlib
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.command import LATITUDE
from support.mpi.library import openmpi
from support.mpi.outcome import Done
from support.mpi.spanning import UCX_BETWEEN, Spanning
from support.paths import EXAMPLE_PROGRAMS

MS = 1_000_000
BTL_TCP = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self"}
"""Open MPI's settings for a transport that the flow injector does not reach."""
BYTES = 3_000_000
SENDER = """
import random, socket
s = socket.create_connection(("node2", 5000))
s.sendall(random.Random(7).randbytes(%d))
s.shutdown(socket.SHUT_WR)
while s.recv(1 << 16): pass
"""
RECEIVER = """
import hashlib, socket
server = socket.create_server(("", 5000))
print("up", flush=True)
connection, _ = server.accept()
found = hashlib.sha256()
while data := connection.recv(1 << 16): found.update(data)
print(found.hexdigest())
connection.close()
"""


@pytest.fixture
def relayed(builds: Path, tmp_path: Path) -> Spanning:
    return Spanning(openmpi(builds), tmp_path, rate="", delay="20ms")


def said(done: Done) -> str:
    """The relay's report at its end, the only line by Latitude."""
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("latitude: "))
    return line


@pytest.mark.parametrize("environment", [BTL_TCP, UCX_BETWEEN], ids=["btl/tcp", "UCX"])
def test_half_a_round_trip_takes_the_delay(relayed: Spanning, environment: dict[str, str]) -> None:
    """Whatever the MPI sends through; of a least there is nothing earlier."""
    apart = relayed.mpi.program("apart.c")
    done = relayed.run(*relayed.mpi.run(2, apart, 5), environment=environment)
    ((_, host, half),) = (line.split() for line in done.stdout.splitlines())
    assert host == "node2"
    assert float(half) >= 20 * MS
    told = r"latitude: relay: [\d,]+ packets, .*, each 20 ms later; after that, .* at most until"
    assert re.match(told, said(done))


def test_what_is_sent_arrives(relayed: Spanning) -> None:
    """3 MB, whose packets the kernel need not cut up on the way."""
    relayed.delay = "2ms"
    (relayed.directory / "receive.py").write_text(RECEIVER)
    line = (
        f"/mnt/enter node2 {sys.executable} $PWD/receive.py > got & "
        'until grep -q up got; do sleep 0.1; done; "$@"; wait; tail -n 1 got'
    )
    done = relayed.run("sh", "-c", line, "sh", sys.executable, "-c", SENDER % BYTES)
    sent = random.Random(7).randbytes(BYTES)
    assert done.stdout.split()[-1] == hashlib.sha256(sent).hexdigest()
    assert "warning" not in done.stderr


def test_programs_run_as_ever(relayed: Spanning) -> None:
    """A program that checks its own result succeeds, and an iteration takes a delay at least."""
    relayed.delay = "5ms"
    halo = relayed.mpi.program(EXAMPLE_PROGRAMS / "halo.c")
    words = ("--iterations", "20", "--compute", "0us", "--bytes", "1024")
    done = relayed.run(*relayed.mpi.run(2, halo, *words), environment=BTL_TCP)
    found = re.search(r"20 iterations in ([\d.]+) s, result right", done.stdout)
    assert found is not None
    assert float(found[1]) >= 20 * 5e-3


def test_the_exit_status_is_the_commands(relayed: Spanning) -> None:
    assert relayed.start("sh", "-c", "exit 7").returncode == 7


def test_where_no_packet_comes_it_says_what_to_do() -> None:
    silent = "sysctl -qw net.ipv6.conf.default.disable_ipv6=1"  # which greets by itself
    words = ["/usr/bin/unshare", "--net", "--", "sh", "-c", f'{silent} && exec "$@"', "sh"]
    words += [*LATITUDE, "inject", "--ip", "1ms", "--", "true"]
    done = subprocess.run(words, capture_output=True, check=False, encoding="utf-8")
    assert done.returncode == 0
    assert "warning: nothing came to relay0; route packets through it" in said(done)


def alone(*words: str, within: tuple[str, ...] = ()) -> Done:
    """`latitude inject`, in a network of its own."""
    command = ["/usr/bin/unshare", *within, "--net", "--", *LATITUDE, "inject", *words]
    return subprocess.run(command, capture_output=True, check=False, encoding="utf-8")


def test_the_device_is_there_while_the_command_runs() -> None:
    look = "ip -o link show mine && ! ip -o link show relay0"
    done = alone("--ip", "1ms", "--device", "mine", "--", "sh", "-c", look)
    assert done.returncode == 0, done.stderr
    assert "mine: <POINTOPOINT" in done.stdout


def test_a_name_that_is_taken_is_refused() -> None:
    done = alone("--ip", "1ms", "--device", "lo", "--", "true")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("latitude: error: the device lo: the device cannot be made: ")


def test_without_rights_one_line_says_so() -> None:
    done = alone("--ip", "1ms", "--", "true", within=("--user",))
    assert done.returncode == 2
    assert done.stderr == (
        "latitude: error: the relay cannot work here: this process may not make network devices "
        "(CAP_NET_ADMIN); run it as root\n"
    )


def test_without_the_kernels_device_one_line_says_so() -> None:
    hide = 'mount -t tmpfs none /dev/net && exec "$@"'
    words = ["/usr/bin/unshare", "--mount", "--", "sh", "-c", hide, "sh", *LATITUDE]
    words += ["inject", "--ip", "1ms", "--", "true"]
    done = subprocess.run(words, capture_output=True, check=False, encoding="utf-8")
    assert done.returncode == 2
    assert done.stderr == (
        "latitude: error: the relay cannot work here: /dev/net/tun is not there; load the "
        "kernel's module tun (as root: modprobe tun)\n"
    )


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--ip", "61s"), "--ip '61s' is not between 0 and 60s"),
        (("--ip", "soon"), "soon"),
        (("--ip", "1ms", "--device", "a b"), "--device 'a b': a device has 1 to 15 letters"),
        (("--ip", "1ms", "--seed", "1"), "--seed is for messages of MPI; leave it out with --ip"),
        (("--off", "--device", "relay1"), "because only --ip makes a device"),
        (("--ip", "1ms", "--memory", "1B"), "--memory '1B' is not between 1MiB and 64GiB"),
    ],
)
def test_wrong_options_are_refused(words: tuple[str, ...], why: str) -> None:
    done = alone(*words, "--", "true")
    assert done.returncode == 2
    assert why in done.stderr
    assert "Traceback" not in done.stderr
