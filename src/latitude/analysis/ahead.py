"""Other threads that do parts of an analysis in advance."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

from latitude.files.machine import free_memory, usable_cores

T = TypeVar("T")
_MOST_THREADS = 3
"""Threads of an analysis: one finds T, one the slack of messages, and one all the rest."""
_OPERATION_BYTES = 200
"""Free memory per operation with which these find their results at the same time, bytes."""


class Piece(Generic[T]):
    """A piece of work and its result, which does not depend on the thread that does the work."""

    def __init__(self, work: Callable[[], T], pool: ThreadPoolExecutor | None = None) -> None:
        self._work = work
        self._begun: Future[T] | None = None if pool is None else pool.submit(work)

    def take(self) -> T:
        """The result, which nothing else holds. Errors are those of the work.

        The call waits for a thread that has begun the work. If none has, the call does the work.
        """
        begun, self._begun = self._begun, None
        return self._work() if begun is None else begun.result()


class Ahead:
    """Threads that help the thread of an analysis.

    Args:
        threads: number of threads, with that of the analysis. 0 means one per core.
        operations: operations of the graph. If memory is scarce, no thread helps.
    """

    def __init__(self, threads: int, operations: int) -> None:
        most = min(threads or usable_cores(), _MOST_THREADS)
        free = free_memory()
        scarce = free is not None and free < _OPERATION_BYTES * operations
        self._pool = ThreadPoolExecutor(most - 1) if most > 1 and not scarce else None

    def piece(self, work: Callable[[], T], *, begin: bool = True) -> Piece[T]:
        """A piece of work; with `begin`, another thread does it if there is one."""
        return Piece(work, self._pool if begin else None)

    def close(self) -> None:
        """Ends the threads. Work that has not begun is dropped."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
