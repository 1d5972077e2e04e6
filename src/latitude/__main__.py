"""`python -m latitude`."""

import sys

from latitude.cli.main import main

sys.exit(main())
