"""Fuzzes the readers of jobs: damaged files are read, or an InputError says what is wrong.

    cd tests && python -m support.fuzzed_jobs kineto|execution_trace|chakra|job_file SECONDS

Damages the files in fuzz/corpus/NAME at random, and reads the damaged files. A file on which
anything else happens joins the corpus.
"""

import sys
import time
from collections.abc import Callable
from random import Random

from latitude import InputError
from latitude.trace.jobs.chakra import chakra_job, read_chakra_rank
from latitude.trace.jobs.execution_trace import paired, read_execution_trace
from latitude.trace.jobs.find import numbered
from latitude.trace.jobs.job_file import read_job_file
from latitude.trace.jobs.kineto import job_of
from latitude.trace.jobs.kineto_file import read_rank
from support.paths import ROOT

CORPUS = ROOT / "fuzz" / "corpus"
_ALPHABET = b'0123456789-.,:"{}[]eE \0\xff\x80\x7f\x01'
_MOST = 8
"""Damages of a file."""
_LONGEST = 64
"""Bytes that are moved, doubled or taken out."""
_SLOW_S = 5.0
"""Processor time that no file of the corpus' size may take."""


def _kineto(content: bytes) -> None:
    job_of("it", numbered("it", [read_rank("it.0", content)])).job.graph()


def _execution_trace(content: bytes) -> None:
    rank = read_rank("it.0", (CORPUS / "kineto" / "one.json").read_bytes())
    paired([rank], [read_execution_trace("it.0", content)])
    job_of("it", numbered("it", [rank])).job.graph()


def _chakra(content: bytes) -> None:
    chakra_job("it", [read_chakra_rank("it.0.et", content)], {}).job.graph()


def _job_file(content: bytes) -> None:
    read_job_file("it", content).graph()


READERS: dict[str, Callable[[bytes], None]] = {
    "kineto": _kineto,
    "execution_trace": _execution_trace,
    "chakra": _chakra,
    "job_file": _job_file,
}


def seeds(name: str) -> list[bytes]:
    """The corpus of a reader."""
    return [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]


def read(name: str, content: bytes) -> bool:
    """Whether a file is read; anything but an InputError passes through."""
    try:
        READERS[name](content)
    except InputError:
        return False
    return True


def damaged(draw: Random, every: list[bytes]) -> bytes:
    """One of the files, changed in a few places."""
    made = bytearray(draw.choice(every))
    for _ in range(draw.randint(1, _MOST)):
        at, length = draw.randrange(len(made) + 1), draw.randint(1, _LONGEST)
        match draw.randrange(5):
            case 0:
                made[at : at + 1] = bytes([draw.choice(_ALPHABET)])
            case 1:
                made[at : at + 1] = bytes([draw.randrange(256)])
            case 2:
                del made[at : at + length]
            case 3:
                made[at:at] = made[at : at + length]
            case _:
                other = draw.choice(every)
                begin = draw.randrange(len(other) + 1)
                made[at : at + length] = other[begin : begin + length]
    return bytes(made)


def main(name: str, seconds: float) -> int:
    """Reads damaged files; 1 if reading one ends in another way than it should."""
    every, draw = seeds(name), Random()
    draw.seed(time.time_ns())
    until, tried, whole = time.monotonic() + seconds, 0, 0
    while time.monotonic() < until:
        content = damaged(draw, every)
        begin = time.process_time()
        try:
            whole += read(name, content)
            slow = time.process_time() - begin > _SLOW_S
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            slow = True
            print(f"{type(error).__name__}: {error}")  # noqa: T201
        if slow:
            path = CORPUS / name / f"found-{tried}"
            path.write_bytes(content)
            print(f"{path}: see what it does")  # noqa: T201
            return 1
        tried += 1
    print(f"{name}: {tried:,} damaged files, {whole:,} of them read")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], float(sys.argv[2])))
