"""Measurements: builds the programs of runtime/bench, starts them, and reads their results."""
