"""Which code counts as a layer over MPI."""

import pytest

from latitude._core import InputError
from latitude.trace.symbols import Frame
from latitude.trace.wrappers import Wrappers, before_main, of_interpreter


def holds(
    given: list[str], module: str = "/bin/app", function: str | None = None, file: str | None = None
) -> bool:
    return Wrappers(given).hold(module, Frame(function, file, 1 if file else None))


@pytest.mark.parametrize(
    ("function", "named"),
    [
        ("hypre_MPI_Irecv", True),
        ("app_mpi_allreduce_", True),
        ("MPI_Recv", True),
        ("comm::mpi_send", True),
        ("exchange", False),
        ("exchange_mpi_send_halo", False),
        ("my_mpi_exchange", False),
        ("dumpi_send", False),
        (None, False),
    ],
)
def test_functions_are_known_by_a_call_s_name_at_their_end(
    function: str | None, *, named: bool
) -> None:
    assert holds([], function=function) == named
    assert not holds(["none"], function=function)


def test_files_and_libraries_are_known_by_name_or_path() -> None:
    assert holds(["my_mpi.c"], file="/src/comm/my_mpi.c")
    assert holds(["comm/*.c"], file="/src/comm/my_mpi.c")
    assert holds(["/src/comm/my_mpi.c"], file="/src/comm/my_mpi.c")
    assert not holds(["comm/*.c"], file="/src/other/my_mpi.c")
    assert not holds(["my_mpi.c"], file="/src/not_my_mpi.c")
    assert holds(["libmesh*.so*"], module="/opt/lib/libmesh-2.so.1")
    assert not holds(["libmesh*.so*"], module="/bin/app")


def test_usual_layers_are_known() -> None:
    mpi4py = "/usr/lib/python3/dist-packages/mpi4py/MPI.cpython-311-x86_64-linux-gnu.so"
    assert holds([], module=mpi4py)
    assert holds([], file="/usr/lib/python3/dist-packages/mpi4py/futures/pool.py")
    assert not holds([], file="/home/me/mpi4py_solver.py")
    assert holds([], file="/hypre/utilities/mpistubs.c")
    assert holds(["mine.c"], module=mpi4py)
    assert not holds(["none", "mine.c"], module=mpi4py)
    assert holds(["none", "mine.c"], file="mine.c")


def test_an_empty_name_is_refused() -> None:
    with pytest.raises(InputError, match="through: an empty name"):
        Wrappers([""])


def test_interpreters_and_what_starts_programs() -> None:
    assert of_interpreter("/usr/bin/python3.11")
    assert of_interpreter("/usr/lib/libpython3.12.so.1.0")
    assert not of_interpreter("/usr/bin/pythonic")
    assert not of_interpreter("/home/me/python3_solver.py")
    assert before_main("/lib/x86_64-linux-gnu/libc.so.6", Frame(None, None, None))
    assert before_main("/bin/app", Frame("_start", None, None))
    assert not before_main("/bin/app", Frame("main", None, None))
