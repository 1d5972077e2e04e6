"""Runs of real programs and their results, measured and predicted."""
