"""Programs whose threads call MPI: T is the time of the recorded run; both MPIs."""

import shutil
from collections.abc import Mapping

import latitude as lat
from latitude import _core
from support.mpi.outcome import ended_with
from support.mpi.tracing import Tracing
from support.timing import SHARP, Machine


def test_T_of_threads_is_the_time_of_the_recorded_run(machine: Machine, tracing: Tracing) -> None:
    """Two threads of each of two ranks nap 20 and 40 ms between messages, which takes no core.

    Found: 0.1 %. Lines that ran one after the other would give 150 %.
    """
    tracing.options += ["--clock", "wall"]
    program = tracing.mpi.program("threads.c", "-pthread")

    def block() -> Mapping[str, float]:
        shutil.rmtree(tracing.run, ignore_errors=True)
        ended_with(0, tracing.left(2, program, 2, 20, 20_000, "tags"))
        loaded = lat.load(tracing.run)
        assert loaded.run is not None
        runtime = _core.Model(loaded.graph, lat.Network(L="1us", o="1us").core(2)).runtime()
        return {"T over the recorded runtime": float(runtime) / loaded.run.runtime_ns}

    machine.holds(block, {"T over the recorded runtime": (0.97, 1.03)}, stray=SHARP)
