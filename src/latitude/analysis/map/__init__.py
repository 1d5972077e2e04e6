"""T over several parameters at once, within a certified error."""
