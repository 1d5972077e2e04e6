"""`python tests/support/bare WORDS`: `latitude` without the packages that its extras bring."""

import sys
from importlib.abc import MetaPathFinder
from typing import NoReturn

from latitude.files.extras import EXTRAS

ABSENT = {package for packages in EXTRAS.values() for package in packages}


class _Nothing(MetaPathFinder):
    def find_spec(self, name: str, *_: object) -> None:
        if name.partition(".")[0] in ABSENT:
            self._missing(name)

    def _missing(self, name: str) -> NoReturn:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)


if __name__ == "__main__":
    sys.meta_path.insert(0, _Nothing())
    from latitude.cli.main import main

    sys.exit(main(sys.argv[1:]))
