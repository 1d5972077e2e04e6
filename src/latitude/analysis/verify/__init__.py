"""Results proved anew, in exact rational numbers and without the engine."""
