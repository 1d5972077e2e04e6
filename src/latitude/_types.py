"""Types that all modules use: arrays, and numbers with a range for schemas."""

from typing import Annotated

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Numbers = NDArray[np.uint32]
"""Counts or indices of vertices, ranks or calls, as in the core."""
Nodes = NDArray[np.uint32]
"""(ranks,) the node of every rank."""

Count = Annotated[int, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=1)]
Nanoseconds = Annotated[float, Meta(ge=0)]
Amount = Annotated[float, Meta(ge=0)]
"""A number that is not negative, without a unit or in another unit than ns."""
Instant = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
"""A time of day in ISO 8601."""

UNBOUNDED = "unbounded"
Unbounded = Annotated[float, Meta(extra_json_schema={UNBOUNDED: True})]
"""A number that may be infinite or NaN; either is null in JSON."""
