"""Runs of real programs and what they say, measured and predicted."""
