"""Ctrl-C before a command has begun its work.

This module imports only modules that Python has already loaded. `signal`, `threading` and
`contextlib` take 10 ms to import, during which Ctrl-C would print a traceback.
"""

import _signal  # type: ignore[import-not-found]  # typeshed does not have it
import os

EXIT_INTERRUPTED = 130
"""128 + SIGINT, the convention of shells."""


class EndingAtOnce:
    """Lets Ctrl-C end the process, silently, during work that leaves nothing to clean up.

    KeyboardInterrupt is not enough during imports: Python prints and then ignores it if a callback
    of the garbage collector raises it, and some modules turn it into an ImportError. If Ctrl-C is
    ignored (nohup, `&` in scripts) or has another handler, nothing changes.
    """

    def __enter__(self) -> None:
        self._ours = _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler
        self._answer(lambda *_: os._exit(EXIT_INTERRUPTED))

    def __exit__(self, *_: object) -> None:
        self._answer(_signal.default_int_handler)

    def _answer(self, handler: object) -> None:
        try:
            if self._ours:
                _signal.signal(_signal.SIGINT, handler)
        except ValueError:  # only the main thread hears signals
            self._ours = False
