"""What all statistics agree on."""

LEAST = 4
"""Values, runs or levels that a test or an interval takes; Fisher's z needs more than 3."""
CONFIDENCE = 0.95
"""Of intervals of what was measured."""
PREDICTED_CONFIDENCE = 0.9
"""Of intervals of predictions, and of what is compared with them."""
BOOTSTRAP_SEED = 20
"""Of resamples that must be the same each time."""
