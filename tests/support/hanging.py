"""Sets the time after which a command counts as hanging.

No test is about this limit: what it starts takes seconds on an idle machine, and minutes on one
that does ten other things.
"""

import os

HANG_S = 60.0 * float(os.environ.get("LATITUDE_TESTS_HANG_MIN", "10"))
