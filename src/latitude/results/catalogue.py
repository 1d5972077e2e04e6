"""Every declared result: schemas, docs and tests take this list."""

from latitude.results.declared import Result

RESULTS: tuple[type[Result], ...] = ()
